Feature: Two sides that both move
  The last agreement of both sides decides who changed, never a clock; content is not lost, and nothing is deleted unasked.

  Scenario Outline: Each side's own changes reach the other
    Given a service reached <how>
    And the tools "local/here" and "local/there" that both sides have under version "1.0"
    And the local tool "local/here" is changed to "mine" under version "1.1"
    And the service's tool "local/there" is changed to "theirs" under version "1.1"
    When the tools are synced in both directions
    Then 0 are created and 1 is updated
    And 1 is pulled
    And the service has the tool "local/here" with the text "mine"
    And the local tool "local/there" has the text "theirs"

    Examples:
      | how            |
      | through a stub |

    @http
    Examples:
      | how            |
      | over HTTP      |

  Scenario Outline: A conflict is reported, and neither side is touched, as long as nobody decides
    Given a service reached <how>
    And the sync client's conflict policy is "manual"
    And the tool "local/search" that both sides have under version "1.0"
    And the local tool "local/search" is changed to "mine" under version "1.1"
    And the service's tool "local/search" is changed to "theirs" under version "2.0"
    When the tools are synced in both directions
    Then there is 1 conflict, about the item "local/search", that shows "1.1" and "2.0"
    And both sides are exactly as before

    Examples:
      | how            |
      | through a stub |

    @http
    Examples:
      | how            |
      | over HTTP      |

  Scenario Outline: What the server wins over here is kept in a copy
    Given a service reached <how>
    And the sync client's conflict policy is "server_wins"
    And the tool "local/search" that both sides have under version "1.0"
    And the local tool "local/search" is changed to "mine" under version "1.1"
    And the service's tool "local/search" is changed to "theirs" under version "2.0"
    When the tools are synced in both directions
    Then 1 is pulled
    And the local tool "local/search" has the text "theirs"
    And a copy of the local tool "local/search" with the text "mine" is kept

    Examples:
      | how            |
      | through a stub |

    @http
    Examples:
      | how            |
      | over HTTP      |

  Scenario Outline: The same change on both sides is no conflict
    Given a service reached <how>
    And the sync client's conflict policy is "manual"
    And the tool "local/search" that both sides have under version "1.0"
    And the local tool "local/search" is changed to "ours" under version "1.1"
    And the service's tool "local/search" is changed to "ours" under version "1.1"
    When the tools are synced in both directions
    Then 1 is skipped
    And nothing was written on the service

    Examples:
      | how            |
      | through a stub |

    @http
    Examples:
      | how            |
      | over HTTP      |

  @F19
  Scenario Outline: Versions compare as versions, and a change under an older one must be forced
    Given a service reached <how>
    And the tools "local/search" and "local/fetch" that both sides have under version "1.10"
    And the local tool "local/search" is changed to "mine" under version "1.9"
    And the local tool "local/fetch" is changed to "mine" under version "1.11"
    When the tools are synced
    Then 0 are created and 1 is updated
    And there is 1 error, about the item "local/search" and its field "version"
    When the tools are synced by force
    Then the service has the tool "local/search" under version "1.9"

    Examples:
      | how            |
      | through a stub |

    @http
    Examples:
      | how            |
      | over HTTP      |

  Scenario Outline: An item that was deleted on the server and edited here is a conflict, not a resurrection
    Given a service reached <how>
    And the sync client's conflict policy is "manual"
    And the tool "local/search" that both sides have under version "1.0"
    And the service's tool "local/search" is deleted
    And the local tool "local/search" is changed to "mine" under version "1.1"
    When the tools are synced in both directions
    Then there is 1 conflict, about the item "local/search", that shows "1.1" and "deleted on the server"
    And the service has no tool "local/search"

    Examples:
      | how            |
      | through a stub |

    @http
    Examples:
      | how            |
      | over HTTP      |

  Scenario Outline: Nothing is deleted unless that is asked for, and never more than allowed
    Given a service reached <how>
    And the tools "local/search" and "local/fetch" that both sides have under version "1.0"
    And the local tools "local/search" and "local/fetch" are deleted
    When the tools are synced in both directions
    Then 2 are skipped
    And both sides are exactly as before
    When somebody tries to sync the tools with prune, deleting at most 1
    Then a refusal with the code "too_many_deletions" says "local/fetch"
    And both sides are exactly as before
    When the tools are synced with prune
    Then 2 are deleted
    And the service has no tool "local/search"

    Examples:
      | how            |
      | through a stub |

    @http
    Examples:
      | how            |
      | over HTTP      |

  @F26
  Scenario Outline: A sync that is cut off goes on with the next run
    Given a service reached <how>
    And the new actions "local/rename" and "local/format" here
    And the connection breaks when the service <has> the items
    When somebody tries to sync the actions
    Then a refusal with the code "unavailable" says "connection"
    When the actions are synced
    Then <created> are created and 0 are updated
    And each of the local actions holds the id that the service gave it
    And the service has 1 revision of the action "local/rename"

    Examples:
      | how            | has       | created |
      | through a stub | has taken | 0       |
      | through a stub | lacks     | 2       |

    @http
    Examples:
      | how            | has       | created |
      | over HTTP      | has taken | 0       |
      | over HTTP      | lacks     | 2       |

  Scenario Outline: Ids in another normal form are the same item, ids in another case are not
    Given a service reached <how>
    And the tool "local/café" that both sides have under version "1.0"
    And the local id of that tool is written in decomposed form
    And the new tool "local/CAFÉ" here
    When the tools are synced
    Then 1 is created and 0 are updated
    And 1 is skipped

    Examples:
      | how            |
      | through a stub |

    @http
    Examples:
      | how            |
      | over HTTP      |
