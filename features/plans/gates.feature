@http
Feature: Gates before an apply
  A digest lands after whoever must agree has agreed to that digest, and to no other.

  Scenario: Under review nobody approves their own plan, with whatever token
    Given a planner over HTTP
    And a project of the service that is empty
    And the plan was executed on it
      """yaml
      automationProfile: review
      decisions:
        - { id: a, toolCalls: [{ tool: write_file, input: { path: a.txt, content: "a\n" } }] }
        - { id: b, toolCalls: [{ tool: write_file, input: { path: b.txt, content: "b\n" } }] }
      """
    When somebody tries to apply its digest
    Then it is refused with the code "not_approved"
    When who submitted it tries to approve its digest with another token
    Then it is refused with the code "self_approval"
    When bob approves its digest
    And its digest is applied
    Then the phase is "applied"

  Scenario: An approval holds for one digest
    Given a planner over HTTP
    And a project of the service that is empty
    And the plan was executed on it
      """yaml
      automationProfile: review
      decisions:
        - { id: a, toolCalls: [{ tool: write_file, input: { path: a.txt, content: "a\n" } }] }
        - { id: b, toolCalls: [{ tool: write_file, input: { path: b.txt, content: "b\n" } }] }
      """
    When bob approves its digest
    And a part of "b" is made of its digest
    And somebody tries to apply the derived digest
    Then it is refused with the code "not_approved"
    When bob approves the derived digest
    And the derived digest is applied
    Then the project of the service now holds
      | path  | content |
      | b.txt | "b\n"   |

  @F23
  Scenario: What was rejected is not applied, and stays readable
    Given a planner over HTTP
    And a project of the service that is empty
    And the plan was executed on it
      """yaml
      decisions: [{ id: a, toolCalls: [{ tool: write_file, input: { path: a.txt, content: "a\n" } }] }]
      """
    When bob rejects its digest
    And somebody tries to apply its digest
    Then it is refused with the code "rejected"
    And the phase is "completed"
    And its changeset is still sealed under the same digest, with its lines
    When bob approves its digest
    And its digest is applied
    Then the phase is "applied"

  Scenario: Another digest is never taken for the reviewed one
    Given a planner over HTTP
    And a project of the service that is empty
    And the plan was executed on it
      """yaml
      decisions: [{ id: a, toolCalls: [{ tool: write_file, input: { path: a.txt, content: "a\n" } }] }]
      """
    When somebody tries to apply another digest
    Then it is refused with the code "digest_mismatch"
    And the project has 1 revision

  @F23
  Scenario: A failed run lands only for who says so
    Given a planner over HTTP
    And a project of the service that is empty
    And the plan was executed on it
      """yaml
      decisions:
        - { id: a, toolCalls: [{ tool: write_file, input: { path: a.txt, content: "a\n" } }] }
        - { id: b, toolCalls: [{ tool: delete_file, input: { path: none.txt } }] }
      """
    When somebody tries to apply its digest
    Then it is refused with the code "run_failed"
    When its digest is applied although it failed
    Then the phase is "applied"
    And the project of the service now holds
      | path  | content |
      | a.txt | "a\n"   |

  Scenario: Under auto the apply follows by itself
    Given a planner over HTTP
    And a project of the service that is empty
    And the plan was executed on it
      """yaml
      automationProfile: auto
      decisions: [{ id: a, toolCalls: [{ tool: write_file, input: { path: a.txt, content: "a\n" } }] }]
      """
    When what follows by itself has followed
    Then the phase is "applied"
    And the last apply is told as "applied"
    And the project has 2 revisions

  Scenario: A project refuses plans that are less strict than it allows
    Given a planner over HTTP
    And a project of the service that allows nothing less strict than "review"
    When somebody tries to execute the plan on it
      """yaml
      automationProfile: auto
      decisions: [{ id: a, toolCalls: [{ tool: write_file, input: { path: a.txt, content: "a\n" } }] }]
      """
    Then it is refused with the code "profile_too_lax"
