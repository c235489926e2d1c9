Feature: Executing a plan in process
  The executor takes a plan from its lifecycle service, runs it once, and hands over what came of it.

  @R28
  Scenario: With a runtime and a context, tools are run
    Given a plan whose decision writes "a.txt"
    And an executor with a context and a tool-calling runtime
    When the executor runs the plan
    Then the executor has a runtime
    And the execution went through the runtime, and "a.txt" was written

  @R29
  Scenario: Without a context no tool is run, and the result says so
    Given a plan whose decision writes "a.txt"
    And an executor without a context
    When the executor runs the plan
    Then the executor has no runtime
    And the execution took the plain path and says that no tool was run
    And the plan still waits to be executed

  @R30
  Scenario: The executor shows its context and the context's store
    Given an executor with a context
    Then its context is that very context
    And its changeset store is that of the context, the same object

  @R31
  Scenario: Without a context there is no changeset store
    Given an executor without a context
    Then it has no changeset store

  @R32
  Scenario: There is no executor without a lifecycle service
    When somebody tries to make an executor without a lifecycle
    Then a ValidationError names "lifecycle"

  @R33
  Scenario: There is no plan with an empty id
    Given an executor without a context
    When somebody tries to execute the plan ""
    Then a ValidationError names "planId"

  @R34 @F13
  Scenario: Of two executions at the same time one runs and the other is refused
    Given a plan whose decision writes "a.txt"
    And an executor with a context and a tool-calling runtime
    When the plan is executed twice at the same time
    Then one execution ran, and the other got a ConflictError with the code "plan_running"
    And the plan's recorded result is that of the one that ran

  @R34
  Scenario: A plan that was executed is not executed again
    Given a plan whose decision writes "a.txt"
    And an executor with a context and a tool-calling runtime
    And the executor has run the plan
    When somebody tries to execute it again
    Then a ConflictError has the code "plan_completed"
    And the plan's recorded result is that of the one that ran

  @R34
  Scenario: A failed execution can be taken up again, and goes on from what landed
    Given a plan with a decision that writes "a.txt" and one whose tool fails the first time
    And an executor with a context and a tool-calling runtime
    When the executor runs the plan
    Then the execution ended as "failed"
    When the executor runs the plan
    Then the execution ended as "completed"
    And only the decision that had failed was processed
    And its digest is that of an execution in which nothing failed
