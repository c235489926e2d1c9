Feature: Orders about plans through the sync client
  The client checks what it is given, sends the order, and tells how the service took it.

  @S11
  Scenario Outline: A plan is executed by its id
    Given a service reached <how>
    And a plan "plan-001" that the service can run
    When the sync client executes that plan
    Then the execution result is of that plan, with the status "submitted"

    Examples:
      | how            |
      | through a stub |

    @http
    Examples:
      | how            |
      | over HTTP      |

  @S12
  Scenario Outline: A digest is applied
    Given a service reached <how>
    And a plan "plan-002" that has ended with a sealed changeset
    When the sync client applies that plan under its digest
    Then the execution result is of that plan, with the status "applying"

    Examples:
      | how            |
      | through a stub |

    @http
    Examples:
      | how            |
      | over HTTP      |

  @S13
  Scenario Outline: The status of a running plan is read by the service's own id of it
    Given a service reached <how>
    And a plan "plan-003" that is running
    When the sync client reads that plan's status by the service's id
    Then that status has the phase "running"

    Examples:
      | how            |
      | through a stub |

    @http
    Examples:
      | how            |
      | over HTTP      |

  @S14
  Scenario Outline: An order that cannot be meant is refused before anything is sent
    Given a service reached <how>
    When somebody tries to <order>
    Then a ValidationError names "<field>"
    And no order about a plan was sent

    Examples:
      | how            | order                                    | field        |
      | through a stub | execute the plan "" as a sync client     | planId       |
      | through a stub | apply the plan "" under a digest         | planId       |
      | through a stub | apply the plan "plan-002" without digest | digest       |
      | through a stub | read the status of the plan ""           | serverPlanId |

    @http
    Examples:
      | how            | order                                    | field        |
      | over HTTP      | execute the plan "" as a sync client     | planId       |
      | over HTTP      | apply the plan "" under a digest         | planId       |
      | over HTTP      | apply the plan "plan-002" without digest | digest       |
      | over HTTP      | read the status of the plan ""           | serverPlanId |
