Feature: Long plans
  There is no cap on the length of a plan's history: it ends, and is paged through.

  @http @F8 @F24
  Scenario: A plan of more than a thousand decisions ends, and is read in pages
    Given a planner over HTTP
    And a plan of 1100 decisions, each writing a file, was executed
    Then the plan ended as "completed"
    And the status counts 1100 landed, 0 failed, 0 skipped and 0 pending
    And reading its decisions page by page gives all 1100, in plan order
    And the events have no gap
