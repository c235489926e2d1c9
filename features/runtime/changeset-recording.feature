Feature: Recording changes through the context
  What tools change is recorded into the active changeset of the run, in order, and can be read back at once.

  Background:
    Given a context for plan "rename-config"

  @R9
  Scenario: Starting a changeset gives a ULID, and makes it active
    When a changeset is started
    Then its id is a ULID
    And the active changesets include it

  @R10
  Scenario: An entry that was recorded is in the changeset
    Given an active changeset
    When a change of "src/config.ts" is recorded
    Then the changeset holds exactly "src/config.ts"

  @R11
  Scenario: Nothing can be recorded while no changeset is active
    When somebody tries to record a change of "src/config.ts"
    Then a PlanError with code "no_active_changeset" says "no active changeset"

  @R12
  Scenario: Entries keep the order in which they were recorded
    Given an active changeset
    When changes of "z.txt", "a.txt" and "m.txt" are recorded
    Then the changeset holds exactly "z.txt", "a.txt" and "m.txt"

  @R13
  Scenario: A changeset knows the plan it belongs to
    Given an active changeset
    When a change of "src/config.ts" is recorded
    Then the changeset can be read and belongs to plan "rename-config"

  @R14
  Scenario: A changeset that does not exist is simply not there
    When the changeset "01ARZ3NDEKTSV4RRFFQ69G5FAV" is read
    Then there is none, and no error

  @R15
  Scenario: The summary counts entries and the resources they touch
    Given a context for plan "rename-config" under decision root "d0"
    And an active changeset
    When a change of "src/config.ts" is recorded
    Then the summary says
      | planId               | rename-config |
      | decisionRootId       | d0            |
      | resourceBindingCount | 0             |
      | entryCount           | 1             |
      | resourceCount        | 1             |
      | pathCount            | 1             |

  @R16
  Scenario: Without a changeset the summary counts nothing
    Then the summary says
      | planId        | rename-config |
      | entryCount    | 0             |
      | resourceCount | 0             |
      | pathCount     | 0             |

  @R10 @R12
  Scenario: Of several active changesets the one started last is recorded into, unless another is named
    Given an active changeset
    And a second active changeset
    When a change of "latest.txt" is recorded
    And a change of "named.txt" is recorded into the first
    Then the second changeset holds exactly "latest.txt"
    And the first changeset holds exactly "named.txt"
