Feature: Scope and results of a sync
  What is synced, in which order, and what is told about it afterwards.

  @S1
  Scenario: A scope with every flag on has all kinds, in their order
    When a sync scope is made with the flags "projects, tools, skills, actions"
    Then its active kinds are "actions", "skills", "tools" and "projects"

  @S2
  Scenario: A scope has the kinds whose flags are on
    When a sync scope is made with the flags "tools, actions"
    Then its active kinds are "actions" and "tools"

  @S16
  Scenario: A summary counts every item once
    When a sync summary is made of
      | created | 2 |
      | updated | 1 |
      | skipped | 1 |
      | errors  | 1 |
    Then it has processed 5 items in total

  @S17
  Scenario: The result of an order keeps what it was made of
    When an execution result is made of
      | planId       | plan-001                       |
      | serverPlanId | pln_01ARZ3NDEKTSV4RRFFQ69G5FAV |
      | status       | submitted                      |
      | message      | the plan is on its way         |
    Then the execution result has
      | planId       | plan-001                       |
      | serverPlanId | pln_01ARZ3NDEKTSV4RRFFQ69G5FAV |
      | status       | submitted                      |
      | message      | the plan is on its way         |

  @S18
  Scenario: An unknown conflict policy is refused with the list of policies
    When somebody tries to make a sync client with the conflict policy "newest_wins"
    Then a ValidationError names "conflictPolicy"
    And its message lists "local_wins", "server_wins" and "manual"

  @S18
  Scenario: An unknown kind is refused with the list of kinds
    When somebody tries to sync the items of the kind "prompts"
    Then a ValidationError names "kind"
    And its message lists "actions", "skills", "tools" and "projects"

  @S18
  Scenario: An unknown scope flag is refused with the list of flags
    When somebody tries to make a sync scope with the flags "actions, prompts"
    Then a ValidationError names "scope"
    And its message lists "actions", "skills", "tools" and "projects"
