Feature: A tenant that is synced from elsewhere
  The service itself syncs a tenant from other places, again and again, by the rules that every sync goes by.

  Scenario: A catalogue's items come into the tenant, and their changes after them
    Given a catalogue with the skills "review" and "triage"
    When the catalogue is registered as a sync source
    Then the last run pulled 2, and deleted 0
    When the catalogue's skill "review" is changed to "second"
    And the sync source's time comes
    Then the last run pulled 1, and deleted 0
    And the tenant has the skill "review" with the text "second"
    And the tenant has the skill "triage" with the text "first"

  Scenario: As long as nothing changes, a run costs next to nothing
    Given a catalogue with the skills "review"
    When the catalogue is registered as a sync source
    And the sync source's time comes
    Then the last run cost one conditional request, and wrote nothing

  Scenario: What is taken out of the catalogue is deleted, where the source prunes
    Given a catalogue with the skills "review" and "triage"
    When the catalogue is registered as a sync source that prunes
    And the catalogue's skill "triage" is taken out
    And the sync source's time comes
    Then the last run pulled 0, and deleted 1
    And the tenant has no skill "triage"

  Scenario: Where both sides changed, the conflict is reported and neither side is touched
    Given a catalogue with the skills "review"
    When the catalogue is registered as a sync source
    And the tenant's skill "review" is changed to "ours"
    And the catalogue's skill "review" is changed to "theirs"
    And the sync source's time comes
    Then the last run reports a conflict about "review"
    And the tenant has the skill "review" with the text "ours"

  Scenario: A place that is broken is tried again ever later, and at the usual times once it is repaired
    Given a catalogue with the skills "review"
    When the catalogue is registered as a sync source
    And the catalogue's server breaks down
    And the sync source's time comes
    Then the last run failed, and the next one waits 30 to 60 seconds
    When the sync source's time comes
    Then the last run failed, and the next one waits 60 to 120 seconds
    When the catalogue's server is repaired
    And the catalogue's skill "review" is changed to "repaired"
    And the sync source's time comes
    Then the last run pulled 1, and deleted 0
    And the tenant has the skill "review" with the text "repaired"
