Feature: The result of an execution
  A result that could not be true cannot be made.

  @R17
  Scenario: A result keeps what it was made of
    When a result is made of
      | changesetId          | 01ARZ3NDEKTSV4RRFFQ69G5FAV |
      | toolCallCount        | 3                          |
      | sandboxRefs          | /srv/sandboxes/17          |
      | decisionIdsProcessed | d1, d2                     |
      | executionDurationMs  | 12.5                       |
    Then the result's changesetId is "01ARZ3NDEKTSV4RRFFQ69G5FAV"
    And the result counts 3 tool calls
    And the result's decisions are "d1" and "d2"

  @R18
  Scenario: There is no negative number of tool calls
    When somebody tries to make a result whose toolCallCount is -1
    Then a ValidationError names "toolCallCount"

  @R19
  Scenario: A result without a changeset is none
    When somebody tries to make a result whose changesetId is ""
    Then a ValidationError names "changesetId"
