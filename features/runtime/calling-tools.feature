Feature: The actor really calls tools
  The runtime actor takes decisions in plan order and dispatches every tool call through the tool runner. What it reports is
  what happened to the files, and nothing else.

  @R20
  Scenario: Decisions without tool calls are processed in order
    Given an actor whose registry is empty
    When it executes the decisions
      """yaml
      - id: d1
      - id: d2
      """
    Then the result's changesetId is a ULID
    And the result's decisions are "d1" and "d2"
    And the result counts 0 tool calls

  @R21
  Scenario: A callback hears how a decision went, in order
    Given an actor whose registry is empty, with an event callback
    When it executes the decisions
      """yaml
      - id: d1
      """
    Then the callback heard, in this order
      | type                     | decision |
      | runtime_execute_started  |          |
      | runtime_execute_step     | d1       |
      | runtime_execute_complete |          |

  @R22
  Scenario: The result names the sandbox it worked in
    Given a sandbox directory
    And an actor whose registry is empty
    When it executes the decisions
      """yaml
      - id: d1
      """
    Then the result's sandboxes include that directory

  @R23
  Scenario: There is no actor without a tool runner
    When somebody tries to make an actor without its "toolRunner"
    Then a ValidationError names "toolRunner"

  @R24
  Scenario: There is no actor without an execution context
    When somebody tries to make an actor without its "context"
    Then a ValidationError names "context"

  @R25 @F20
  Scenario: Every tool call changes the files, and every change is an entry with content before and after
    Given a sandbox directory that holds
      | path         | content             |
      | src/conf.ts  | "export {};\n"      |
      | CHANGELOG.md | "first\nsecond\n"   |
      | old.txt      | "to be removed\r\n" |
    And an actor with the workspace tools
    When it executes the decisions
      """yaml
      - id: rename
        toolCalls:
          - { tool: move_file, input: { source: src/conf.ts, destination: src/config.ts } }
      - id: note
        dependsOn: [rename]
        toolCalls:
          - { tool: edit_file, input: { path: CHANGELOG.md, edits: [{ oldText: "second\n", newText: "third\n" }] } }
          - { tool: delete_file, input: { path: old.txt } }
      """
    Then the result counts 3 tool calls
    And the sandbox holds exactly
      | path          | content          |
      | src/config.ts | "export {};\n"   |
      | CHANGELOG.md  | "first\nthird\n" |
    And the entries of the changeset are
      | decision | call | kind   | path          | before              | after            |
      | rename   | 0    | delete | src/conf.ts   | "export {};\n"      |                  |
      | rename   | 0    | create | src/config.ts |                     | "export {};\n"   |
      | note     | 0    | modify | CHANGELOG.md  | "first\nsecond\n"   | "first\nthird\n" |
      | note     | 1    | delete | old.txt       | "to be removed\r\n" |                  |
    And the changeset is sealed under the result's digest

  @R25 @F20
  Scenario: A tool of the caller's is called with the input that the decision gives, as often as the decision says
    Given an actor with a tool "count_lines" that remembers its calls
    When it executes the decisions
      """yaml
      - id: d1
        toolCalls:
          - { tool: count_lines, input: { path: a.txt } }
          - { tool: count_lines, input: { path: b.txt } }
      """
    Then the tool was called with
      """json
      [{ "path": "a.txt" }, { "path": "b.txt" }]
      """
    And the result counts 2 tool calls

  @R26 @F10
  Scenario: A failure leaves nothing of its decision, skips what needs it, and lets the rest go on
    Given a sandbox directory that holds
      | path     | content  |
      | kept.txt | "kept\n" |
    And an actor with the workspace tools
    When it executes the decisions
      """yaml
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
    Then decision "broken" failed with "edit_no_match"
    And decision "next" was skipped because of "broken"
    And decision "last" was skipped because of "next"
    And decision "apart" landed
    And the result counts 3 tool calls
    And the sandbox holds exactly
      | path      | content   |
      | kept.txt  | "kept\n"  |
      | apart.txt | "apart\n" |
    And the entries of the changeset are
      | decision | call | kind   | path      | before | after     |
      | apart    | 0    | create | apart.txt |        | "apart\n" |
    And the changeset is sealed under the result's digest

  @R27
  Scenario Outline: A callback that fails does not stop the run
    Given an actor whose registry is empty, with a callback that <fails>
    When it executes the decisions
      """yaml
      - id: d1
      - id: d2
      """
    Then the result's decisions are "d1" and "d2"
    And the fault of the callback is logged for every event

    Examples:
      | fails   |
      | throws  |
      | rejects |
