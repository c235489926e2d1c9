Feature: Plans that are submitted again and again
  A schedule submits the plan of an action at the times of a cron expression. A time is one plan.

  Background:
    Given an action that writes its argument "text" into a file
    And a schedule of that action with the cron expression "0 * * * *"

  Scenario: A time is one plan, however often the service looks
    When the schedule's time comes, and the service looks 3 times
    Then the schedule has submitted 1 plan
    And its last plan is called "as it was", and completes

  Scenario: Each time the action counts as it is then
    When the schedule's time comes, and the service looks 1 times
    And the action is changed
    And the schedule's time comes, and the service looks 1 times
    Then the schedule has submitted 2 plans
    And its last plan is called "as it is", and completes

  Scenario: Of times that nobody looked at the latest fires, and the earlier ones are told
    When nobody looks while 4 of its times pass
    Then the schedule has submitted 1 plan
    And 3 of its times are told as missed

  Scenario: Times that pass in a pause are not made up for
    When the schedule is paused
    And nobody looks while the pause lasts 5 hours
    And the schedule is resumed
    Then the schedule has submitted 0 plans
    When the schedule's time comes, and the service looks 1 times
    Then the schedule has submitted 1 plan

  Scenario: A deletion ends it
    When the schedule is deleted
    Then the schedule is gone, and no plan of it comes any more

  Scenario: Arguments that do not fit are refused when the schedule is saved
    When somebody tries to save the schedule without the argument
    Then the refusal is about "/args/text"
