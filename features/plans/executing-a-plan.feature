Feature: Executing a plan
  A plan is submitted, its decisions run one after another in plan order, and its changeset tells what they changed.
  The same scenario holds in process and over HTTP.

  @R25 @F20 @F22
  Scenario Outline: A plan changes files, and its diff shows the lines
    Given a planner <where>
    And the project holds
      | path         | content           |
      | src/conf.ts  | "export {};\n"    |
      | CHANGELOG.md | "first\nsecond\n" |
    When the plan is executed
      """yaml
      decisions:
        - id: rename
          rationale: the name misleads
          toolCalls:
            - { tool: move_file, input: { source: src/conf.ts, destination: src/config.ts } }
        - id: note
          dependsOn: [rename]
          toolCalls:
            - { tool: edit_file, input: { path: CHANGELOG.md, edits: [{ oldText: "second\n", newText: "third\n" }] } }
      """
    Then the plan ended as "completed"
    And these decisions landed: "rename" and "note"
    And 2 tool calls ran
    And the entries are
      | decision | call | kind   | path          |
      | rename   | 0    | delete | src/conf.ts   |
      | rename   | 0    | create | src/config.ts |
      | note     | 0    | modify | CHANGELOG.md  |
    And the file "CHANGELOG.md" now holds "first\nthird\n"
    And the diff shows
      """
      rename from src/conf.ts
      rename to src/config.ts
      """
    And the diff shows
      """
      -second
      +third
      """

    Examples:
      | where      |
      | in process |

    @http
    Examples:
      | where     |
      | over HTTP |

  @R21
  Scenario Outline: Events tell in order how each decision became final
    Given a planner <where>
    When the plan is executed
      """yaml
      decisions:
        - id: late
          dependsOn: [early]
        - id: early
      """
    Then the plan ended as "completed"
    And the events are, in order
      | type                     | decision |
      | runtime_execute_started  |          |
      | runtime_execute_step     | early    |
      | runtime_execute_step     | late     |
      | runtime_execute_complete |          |

    Examples:
      | where      |
      | in process |

    @http
    Examples:
      | where     |
      | over HTTP |

  @F11
  Scenario Outline: A plan that changes nothing is a success of its own kind
    Given a planner <where>
    And the project holds
      | path  | content   |
      | a.txt | "as is\n" |
    When the plan is executed
      """yaml
      decisions:
        - id: same
          toolCalls:
            - { tool: write_file, input: { path: a.txt, content: "as is\n" } }
        - id: look
          toolCalls:
            - { tool: read_text_file, input: { path: a.txt } }
      """
    Then the plan ended as "completed"
    And it made no changes
    And the diff is empty

    Examples:
      | where      |
      | in process |

    @http
    Examples:
      | where     |
      | over HTTP |

  @http @R25
  Scenario: The same plan on the same files has the same digest in process and over HTTP
    Given a planner in process
    And the project holds
      | path      | content          |
      | dir/a.txt | "one\r\ntwo\r\n" |
      | b.bin     | "\u0000\u0001"   |
    And the plan "same-digest" was executed
      """yaml
      decisions:
        - id: d1
          toolCalls:
            - { tool: edit_file, input: { path: dir/a.txt, edits: [{ oldText: "two", newText: "2" }] } }
            - { tool: set_file_mode, input: { path: b.bin, mode: "100755" } }
        - id: d2
          toolCalls:
            - { tool: move_file, input: { source: b.bin, destination: dir/c.bin } }
        - id: nothing
      """
    And the plan ended as "completed"
    When a planner over HTTP executes the same plan on the same files
    Then both digests are the same
