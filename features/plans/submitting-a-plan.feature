Feature: Submitting a plan
  A submission is one plan however often it is sent, and a plan that cannot run is refused before anything is kept.

  @http @F5 @F13
  Scenario: The same submission again is the same plan
    Given a planner over HTTP
    And the plan was executed
      """yaml
      decisions:
        - id: d1
          toolCalls: [{ tool: write_file, input: { path: a.txt, content: "once\n" } }]
      """
    When the same document is submitted again under the same id
    Then the submission is accepted as the same plan
    And the events are, in order
      | type                     | decision |
      | runtime_execute_started  |          |
      | runtime_execute_step     | d1       |
      | runtime_execute_complete |          |
    And the plan is listed once

  @http @F1 @F13
  Scenario: The same submission many times at the same moment has one effect
    Given a planner over HTTP
    When the plan is submitted 10 times at the same time
      """yaml
      decisions:
        - id: d1
          toolCalls: [{ tool: write_file, input: { path: a.txt, content: "once\n" } }]
        - id: d2
          toolCalls: [{ tool: edit_file, input: { path: a.txt, edits: [{ oldText: "once", newText: "twice" }] } }]
      """
    Then every submission is accepted as the same plan
    And the plan ended as "completed"
    And the entries are
      | decision | call | kind   | path  |
      | d1       | 0    | create | a.txt |
      | d2       | 0    | modify | a.txt |
    And the events have no gap

  @http @R34 @F13
  Scenario: Another document under the id of a plan is refused, and the plan keeps its output
    Given a planner over HTTP
    And the plan was executed
      """yaml
      decisions:
        - id: d1
          toolCalls: [{ tool: write_file, input: { path: a.txt, content: "first\n" } }]
      """
    When another document is submitted under the same id
      """yaml
      decisions: []
      """
    Then the service answers 409 with the code "plan_exists"
    And the file "a.txt" now holds "first\n"
    And the plan ended as "completed"

  @F9
  Scenario Outline: Decisions that need each other are refused, the cycle spelled out
    Given a planner <where>
    When somebody tries to execute the plan
      """yaml
      decisions:
        - id: free
        - { id: a, dependsOn: [b] }
        - { id: b, dependsOn: [c] }
        - { id: c, dependsOn: [a] }
      """
    Then it is refused with the code "dependency_cycle"
    And its message lists "a needs b needs c needs a"
    When somebody tries to execute the plan
      """yaml
      decisions:
        - { id: self, dependsOn: [self] }
      """
    Then it is refused with the code "dependency_cycle"
    And its message lists "self needs self"

    Examples:
      | where      |
      | in process |

    @http
    Examples:
      | where     |
      | over HTTP |

  @http @R33
  Scenario: A plan without decisions, and one of an unknown shape
    Given a planner over HTTP
    When the body is submitted as a plan
      """json
      { "decisions": "all of them" }
      """
    Then the service answers 422 with the code "validation_failed" and the field "/decisions"
    When the body is submitted as a plan
      """json
      { "decisions": [], "decisons": [] }
      """
    Then the service answers 422 with the code "validation_failed" and the field "/decisons"

  @http @R2
  Scenario: An unknown automation profile is refused with the list
    Given a planner over HTTP
    When the body is submitted as a plan
      """json
      { "decisions": [], "automationProfile": "yolo" }
      """
    Then the service answers 422 with the code "unknown_profile" and the field "/automationProfile"
    And the problem lists "manual", "review" and "auto"

  @http @R14
  Scenario: A plan that does not exist is not found
    Given a planner over HTTP
    When the status of the plan "never-submitted" is asked for
    Then the service answers 404 with the code "not_found"
