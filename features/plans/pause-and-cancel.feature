@http
Feature: Pause, resume and cancel
  Nothing becomes final in a pause or after a cancel, and what had become final stays readable.

  Scenario: A plan that is paused stands still, and goes on when it is resumed
    Given a planner over HTTP
    And a plan of 1500 decisions, each writing a file, has begun
    When it is paused while some decisions are final and others are not
    Then nothing becomes final while it is paused
    When it is resumed
    Then the plan ended as "completed"
    And all of its decisions have landed
    And the events have no gap
    And the events tell of one pause and one resumption

  @F23
  Scenario: The changeset of a cancelled plan stays, sealed and readable
    Given a planner over HTTP
    And a plan of 1500 decisions, each writing a file, has begun
    When it is cancelled while some decisions are final and others are not
    Then the plan ended as "cancelled"
    And its changeset is sealed and holds an entry for every decision that landed
    And the diff shows every file that landed
    And nothing becomes final any more
