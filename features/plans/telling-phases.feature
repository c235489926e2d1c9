@http @listener
Feature: Telling the phases of a plan
  Whoever wants to know how a plan goes on need not ask again and again: its phases are told to a listener, at least once,
  signed, and with numbers by which they are put in order.

  Scenario: A listener is told of every phase, under a signature of its own
    Given a planner over HTTP
    And a listener that is told of every phase
    When the plan is executed
      """
      decisions:
        - id: d1
          toolCalls: [{ tool: write_file, input: { path: plans.txt, content: "not for listeners\n" } }]
      """
    Then the listener is told, in this order: "submitted", "running", "completed"
    And the last message bears the digest of the changeset, and counts 1 landed and 0 failed
    And every message verifies under the secret of the listener, and under no other
    And no message holds "not for listeners" or "plans.txt"

  Scenario: A listener is told only what it asked for, also of a plan that fails and is resumed
    Given a planner over HTTP
    And a listener that is told of: "completed", "failed"
    When the plan is executed
      """
      decisions:
        - id: d1
          toolCalls: [{ tool: delete_file, input: { path: not-there.txt } }]
      """
    Then the listener is told, in this order: "failed"
    When its decision "d1" is corrected to write "there.txt", and it is resumed
    Then the listener is told, in this order: "failed", "completed"
    And the messages are of the runs "1" and "2"
    And the messages bear the numbers "3" and "6"

  Scenario: A pause is told, and so is what follows it
    Given a planner over HTTP
    And a listener that is told of every phase
    And a plan of 1500 decisions, each writing a file, has begun
    When it is paused while some decisions are final and others are not
    Then the listener is told, in this order: "submitted", "running", "paused"
    When it is resumed
    Then the listener is told, in this order: "submitted", "running", "paused", "running", "completed"

  Scenario: A listener that wants no more is told no more
    Given a planner over HTTP
    And a listener that is told of: "submitted"
    And the listener answers that it is gone
    When the plan is executed
      """
      decisions: []
      """
    Then the webhook is disabled, since "The receiver answered 410 Gone"
    And its delivery was given up after 1 attempt

  Scenario: A listener must be at a place that may be reached
    Given a planner over HTTP
    When somebody tries to be told at "https://10.0.0.1/hook"
    Then it is refused with the code "validation_failed"
    When somebody tries to be told at "http://listener.example/hook"
    Then it is refused with the code "validation_failed"
