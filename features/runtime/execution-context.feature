Feature: The context of one execution
  A context says which plan is executed, on what and under which profile. It is made once, checked when it is
  made, and names what is wrong with it.

  @R1
  Scenario: A plan id is enough
    When a context is made for plan "rename-config"
    Then its planId is "rename-config"

  @R2
  Scenario: Every optional field is kept as it was given
    When a context is made with
      | planId            | rename-config     |
      | decisionRootId    | d0                |
      | sandboxRoot       | /srv/sandboxes/17 |
      | automationProfile | review            |
    Then its decisionRootId is "d0"
    And its sandboxRoot is "/srv/sandboxes/17"
    And its automationProfile is "review"

  @R3
  Scenario: An empty plan id is refused by name
    When somebody tries to make a context whose planId is ""
    Then a ValidationError names "planId"

  @R4
  Scenario Outline: A missing plan id is refused by name, whatever untyped code hands in
    When somebody tries to make a context whose planId is <nothing>
    Then a ValidationError names "planId"

    Examples:
      | nothing   |
      | undefined |
      | null      |

  @R2
  Scenario: An unknown automation profile is refused, with the list of those there are
    When somebody tries to make a context whose automationProfile is "yolo"
    Then a ValidationError names "automationProfile"
    And its message lists "manual", "review" and "auto"

  @R5
  Scenario: Without a store of its own a context keeps changesets in memory
    When a context is made for plan "rename-config"
    Then its changesetStore is an InMemoryChangeSetStore

  @R6
  Scenario: A store that is handed in is used as it is
    Given a changeset store of the caller's
    When a context is made with that store
    Then its changesetStore is that very object

  @R7
  Scenario: Without project resources the record is empty
    When a context is made for plan "rename-config"
    Then its projectResources is an empty record

  @R8
  Scenario: Without resource bindings the record is empty
    When a context is made for plan "rename-config"
    Then its resourceBindings is an empty record
