Feature: Pushing local items to a service
  Content against what both sides last agreed on decides; nothing is guessed.

  @S3
  Scenario Outline: New items are created and get the ids that the service gave them
    Given a service reached <how>
    And the new actions "local/rename" and "local/format" here
    When the actions are synced
    Then 2 are created and 0 are updated
    And it was no dry run
    And each of the local actions holds the id that the service gave it

    Examples:
      | how            |
      | through a stub |

    @http
    Examples:
      | how            |
      | over HTTP      |

  @S4
  Scenario Outline: Items with newer versions are updated
    Given a service reached <how>
    And the tools "local/search" and "local/fetch" that both sides have under version "1.9"
    And each of the local tools is changed under version "1.10"
    When the tools are synced
    Then 0 are created and 2 are updated
    And the service has the tool "local/fetch" under version "1.10"

    Examples:
      | how            |
      | through a stub |

    @http
    Examples:
      | how            |
      | over HTTP      |

  @S5
  Scenario Outline: An item that is the same on both sides is skipped, and nothing is written
    Given a service reached <how>
    And the skill "local/review" that both sides have under version "1.0"
    When the skills are synced
    Then 0 are created and 0 are updated
    And 1 is skipped
    And nothing was written on the service

    Examples:
      | how            |
      | through a stub |

    @http
    Examples:
      | how            |
      | over HTTP      |

  @S6
  Scenario Outline: A dry run tells what would happen and changes nothing on either side
    Given a service reached <how>
    And the new actions "local/rename" and "local/format" here
    When the actions are synced as a dry run
    Then 2 are created and 0 are updated
    And it was a dry run
    And both sides are exactly as before

    Examples:
      | how            |
      | through a stub |

    @http
    Examples:
      | how            |
      | over HTTP      |

  @S7
  Scenario Outline: An item without an id is one error, and the others are synced
    Given a service reached <how>
    And the new tool "local/search" here
    And a local tool named "Nameless" that has no id
    When the tools are synced
    Then 1 is created and 0 are updated
    And there is 1 error, about the item "Nameless" and its field "id"

    Examples:
      | how            |
      | through a stub |

    @http
    Examples:
      | how            |
      | over HTTP      |

  @S8
  Scenario Outline: Where both sides changed and the server wins, a push leaves the server's item alone
    Given a service reached <how>
    And the sync client's conflict policy is "server_wins"
    And the tool "local/search" that both sides have under version "1.0"
    And the local tool "local/search" is changed under version "1.1"
    And the service's tool "local/search" is changed to "theirs" under version "2.0"
    When the tools are synced
    Then 1 is skipped
    And 0 are created and 0 are updated
    And the service has the tool "local/search" with the text "theirs"

    Examples:
      | how            |
      | through a stub |

    @http
    Examples:
      | how            |
      | over HTTP      |

  @S8
  Scenario Outline: Where only the server changed, a push leaves it alone under every policy
    Given a service reached <how>
    And the sync client's conflict policy is "<policy>"
    And the tool "local/search" that both sides have under version "1.0"
    And the service's tool "local/search" is changed to "theirs" under version "2.0"
    When the tools are synced
    Then 1 is skipped
    And the service has the tool "local/search" with the text "theirs"

    Examples:
      | how            | policy      |
      | through a stub | local_wins  |
      | through a stub | server_wins |
      | through a stub | manual      |

    @http
    Examples:
      | how            | policy      |
      | over HTTP      | local_wins  |
      | over HTTP      | server_wins |
      | over HTTP      | manual      |

  @S9
  Scenario Outline: Where both sides changed and the local side wins, the overwritten version stays readable
    Given a service reached <how>
    And the sync client's conflict policy is "local_wins"
    And the tool "local/search" that both sides have under version "1.0"
    And the local tool "local/search" is changed to "mine" under version "1.1"
    And the service's tool "local/search" is changed to "theirs" under version "2.0"
    When the tools are synced
    Then 0 are created and 1 is updated
    And the service has the tool "local/search" with the text "mine"
    And the revision before it still has the text "theirs"

    Examples:
      | how            |
      | through a stub |

    @http
    Examples:
      | how            |
      | over HTTP      |

  @S10
  Scenario Outline: A sync of everything keeps to its scope
    Given a service reached <how>
    And the sync client's scope is "actions"
    And the new action "local/rename" here
    And the new tool "local/search" here
    When everything is synced
    Then the result has actions and no tools
    And the service has no tool "local/search"

    Examples:
      | how            |
      | through a stub |

    @http
    Examples:
      | how            |
      | over HTTP      |

  @S15
  Scenario Outline: Another conflict policy counts from the next sync on
    Given a service reached <how>
    And the sync client's conflict policy is "local_wins"
    And the tool "local/search" that both sides have under version "1.0"
    And the local tool "local/search" is changed to "mine" under version "1.0"
    And the service's tool "local/search" is changed to "theirs" under version "1.0"
    When the sync client's conflict policy is changed to "server_wins"
    Then the sync client's conflict policy reads "server_wins"
    When the tools are synced
    Then 1 is skipped
    And the service has the tool "local/search" with the text "theirs"

    Examples:
      | how            |
      | through a stub |

    @http
    Examples:
      | how            |
      | over HTTP      |
