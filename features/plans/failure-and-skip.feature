Feature: A failure does not sink the rest
  A failed decision leaves nothing, what depends on it is skipped with the reason, everything else runs, and the status says
  which is which. A further run takes up what did not land.

  @R26 @F10 @F25
  Scenario Outline: What depends on a failed decision reaches a final state too
    Given a planner <where>
    And the project holds
      | path     | content  |
      | kept.txt | "kept\n" |
    When the plan is executed
      """yaml
      decisions:
        - id: broken
          toolCalls:
            - { tool: write_file, input: { path: half.txt, content: "half\n" } }
            - { tool: edit_file, input: { path: kept.txt, edits: [{ oldText: "not there", newText: "x" }] } }
        - id: next
          dependsOn: [broken]
          toolCalls: [{ tool: write_file, input: { path: next.txt, content: "next\n" } }]
        - id: last
          dependsOn: [next]
          toolCalls: [{ tool: write_file, input: { path: last.txt, content: "last\n" } }]
        - id: apart
          toolCalls: [{ tool: write_file, input: { path: apart.txt, content: "apart\n" } }]
      """
    Then the plan ended as "failed"
    And these decisions landed: "apart"
    And decision "broken" has failed with "edit_no_match"
    And decision "next" was passed over because of "broken"
    And decision "last" was passed over because of "next"
    And the entries are
      | decision | call | kind   | path      |
      | apart    | 0    | create | apart.txt |
    And there is no file "half.txt"
    And the file "apart.txt" now holds "apart\n"
    And the events are, in order
      | type                     | decision |
      | runtime_execute_started  |          |
      | runtime_execute_failed   | broken   |
      | runtime_execute_skipped  | next     |
      | runtime_execute_skipped  | last     |
      | runtime_execute_step     | apart    |
      | runtime_execute_complete |          |

    Examples:
      | where      |
      | in process |

    @http
    Examples:
      | where     |
      | over HTTP |

  @http @F25
  Scenario: The status of a run that failed half-way names what landed, what did not, and why
    Given a planner over HTTP
    When the plan is executed
      """yaml
      decisions:
        - id: good
          toolCalls: [{ tool: write_file, input: { path: good.txt, content: "good\n" } }]
        - id: bad
          toolCalls: [{ tool: delete_file, input: { path: nowhere.txt } }]
        - id: behind
          dependsOn: [bad]
      """
    Then the plan ended as "failed"
    And the status counts 1 landed, 1 failed, 1 skipped and 0 pending
    And the status lists the failures
      | decision | status  | code              |
      | bad      | failed  | path_not_found    |
      | behind   | skipped | dependency_failed |

  @http @R26
  Scenario: Resuming with corrected tool calls completes the plan on what had landed
    Given a planner over HTTP
    And the plan was executed
      """yaml
      decisions:
        - id: good
          toolCalls: [{ tool: write_file, input: { path: good.txt, content: "good\n" } }]
        - id: bad
          dependsOn: [good]
          toolCalls: [{ tool: edit_file, input: { path: good.txt, edits: [{ oldText: "bad", newText: "better" }] } }]
        - id: behind
          dependsOn: [bad]
          toolCalls: [{ tool: write_file, input: { path: behind.txt, content: "behind\n" } }]
      """
    And the plan ended as "failed"
    When it is resumed with the corrected tool calls
      """yaml
      bad:
        - { tool: edit_file, input: { path: good.txt, edits: [{ oldText: "good", newText: "better" }] } }
      """
    Then the plan ended as "completed"
    And it is run 2
    And these decisions landed: "good", "bad" and "behind"
    And "good" landed in run 1, "bad" and "behind" in run 2
    And the file "good.txt" now holds "better\n"
    And the events have no gap, over both runs
    And run 1 still says that decision "bad" failed
