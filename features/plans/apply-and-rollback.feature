@http
Feature: Apply and roll back
  The change that was reviewed is the change that lands, or a list of what is in its way; and it can be taken back.

  @F21 @F22
  Scenario: An apply changes what the project holds, and ends
    Given a planner over HTTP
    And a project of the service that holds
      | path     | content          |
      | a.txt    | "one\ntwo\n"     |
      | gone.txt | "gone\n"         |
      | k.txt    | "untouched\n"    |
    And the plan was executed on it
      """yaml
      decisions:
        - { id: edit, toolCalls: [{ tool: edit_file, input: { path: a.txt, edits: [{ oldText: one, newText: ONE }] } }] }
        - { id: make, toolCalls: [{ tool: write_file, input: { path: deep/er/b.txt, content: "b\n" } }] }
        - { id: drop, toolCalls: [{ tool: delete_file, input: { path: gone.txt } }] }
      """
    Then the project is as it was before
    And the diff shows
      """
      -one
      +ONE
       two
      """
    When its digest is applied
    Then the phase is "applied"
    And the project of the service now holds
      | path          | content       |
      | a.txt         | "ONE\ntwo\n"  |
      | deep/er/b.txt | "b\n"         |
      | k.txt         | "untouched\n" |
    And git says the same of its tree
    And its newest revision names the plan and its digest
    And every change of "a.txt" is traced to "edit"

  @F12
  Scenario: What was made on an empty project is applied once, and is stale after that
    Given a planner over HTTP
    And a project of the service that is empty
    And the plan was executed on it
      """yaml
      decisions: [{ id: make, toolCalls: [{ tool: write_file, input: { path: a.txt, content: "mine\n" } }] }]
      """
    When another plan is executed on it and applied
      """yaml
      decisions: [{ id: make, toolCalls: [{ tool: write_file, input: { path: a.txt, content: "theirs\n" } }] }]
      """
    And somebody tries to apply its digest
    Then it is refused with the code "target_moved"
    And these paths are in the way
      | path  | expected | found  | reason |
      | a.txt | nothing  | a file | moved  |
    And the project of the service now holds
      | path  | content    |
      | a.txt | "theirs\n" |

  @F12
  Scenario: The same digest a second time is refused
    Given a planner over HTTP
    And a project of the service that is empty
    And the plan was executed on it
      """yaml
      decisions: [{ id: make, toolCalls: [{ tool: write_file, input: { path: a.txt, content: "mine\n" } }] }]
      """
    When its digest is applied
    And somebody tries to apply its digest
    Then it is refused with the code "already_applied"
    And the project has 2 revisions

  @F13
  Scenario: Ten applies of one digest at the same time make one revision
    Given a planner over HTTP
    And a project of the service that is empty
    And the plan was executed on it
      """yaml
      decisions: [{ id: make, toolCalls: [{ tool: write_file, input: { path: a.txt, content: "mine\n" } }] }]
      """
    When its digest is applied 10 times at the same time
    Then one of them was accepted, the others were told why not
    And the phase is "applied"
    And the project has 2 revisions

  @F15
  Scenario: Every byte around an edit stays, through apply and rollback
    Given a planner over HTTP
    And a project of the service that holds
      | path      | content                     |
      | crlf.txt  | "one\r\ntwo\r\nthree\r\n"   |
      | bom.txt   | "\ufeffone\ntwo\n"          |
      | mixed.txt | "one\r\ntwo\nthree\rfour\n" |
      | open.txt  | "one\ntwo"                  |
    And the plan was executed on it
      """yaml
      decisions:
        - id: edit
          toolCalls:
            - { tool: edit_file, input: { path: crlf.txt, edits: [{ oldText: two, newText: TWO }] } }
            - { tool: edit_file, input: { path: bom.txt, edits: [{ oldText: one, newText: ONE }] } }
            - { tool: edit_file, input: { path: mixed.txt, edits: [{ oldText: three, newText: THREE }] } }
            - { tool: edit_file, input: { path: open.txt, edits: [{ oldText: two, newText: TWO }] } }
      """
    When its digest is applied
    Then the project of the service now holds
      | path      | content                     |
      | crlf.txt  | "one\r\nTWO\r\nthree\r\n"   |
      | bom.txt   | "\ufeffONE\ntwo\n"          |
      | mixed.txt | "one\r\ntwo\nTHREE\rfour\n" |
      | open.txt  | "one\nTWO"                  |
    And git says the same of its tree
    When a rollback is made of its digest
    And the derived digest is applied
    Then the project is as it was before
    And the tree of revision 3 is that of revision 1
    And the phase is "completed"

  @F16
  Scenario: A file that is renamed and edited lands where it was renamed to, whatever its name
    Given a planner over HTTP
    And a project of the service that holds
      | path            | content              |
      | old b/names.txt | "one\ntwo\nthree\n"  |
      | größe.txt       | "one\n"              |
    And the plan was executed on it
      """yaml
      decisions:
        - id: rename
          toolCalls:
            - { tool: move_file, input: { source: old b/names.txt, destination: new b/names.txt } }
            - { tool: edit_file, input: { path: new b/names.txt, edits: [{ oldText: two, newText: TWO }] } }
            - { tool: move_file, input: { source: größe.txt, destination: "groß \"e\".txt" } }
      """
    When its digest is applied
    Then the project of the service now holds
      | path            | content             |
      | new b/names.txt | "one\nTWO\nthree\n" |
      | groß "e".txt    | "one\n"             |
    And git says the same of its tree
    And git applies the diff to the project and comes to the same files

  @F17
  Scenario: Binary and empty files land, and go
    Given a planner over HTTP
    And a project of the service that holds
      | path      | content               |
      | image.bin | "\u0000\u0001binary"  |
      | empty.txt | ""                    |
    And the plan was executed on it
      """yaml
      decisions:
        - id: bytes
          toolCalls:
            - { tool: write_file, input: { path: image.bin, content: "AP8B/g==", encoding: base64 } }
            - { tool: write_file, input: { path: also-empty.txt, content: "" } }
            - { tool: delete_file, input: { path: empty.txt } }
      """
    When its digest is applied
    Then the project holds what the plan made
    And git says the same of its tree
    And the diff shows
      """
      GIT binary patch
      """
    When a rollback is made of its digest
    And the derived digest is applied
    Then the project is as it was before

  @F22
  Scenario: A project that moved gets the merge, whose digest is another and whose lines are shown
    Given a planner over HTTP
    And a project of the service that holds
      | path  | content                                      |
      | a.txt | "one\ntwo\nthree\nfour\nfive\nsix\nseven\n" |
    And the plan was executed on it
      """yaml
      decisions: [{ id: edit, toolCalls: [{ tool: edit_file, input: { path: a.txt, edits: [{ oldText: one, newText: ONE }] } }] }]
      """
    When somebody writes the project anew
      | path  | content                                      |
      | a.txt | "one\ntwo\nthree\nfour\nfive\nsix\nSEVEN\n" |
    And somebody tries to apply its digest
    Then it is refused with the code "target_moved"
    When a merge is made of its digest
    Then the derived diff shows
      """
      -one
      +ONE
       two
      """
    When the derived digest is applied
    Then the project of the service now holds
      | path  | content                                      |
      | a.txt | "ONE\ntwo\nthree\nfour\nfive\nsix\nSEVEN\n" |
    And the phase is "applied"

  @F23
  Scenario: What can not be merged is listed, nothing is changed, and the changeset stays
    Given a planner over HTTP
    And a project of the service that holds
      | path  | content      |
      | a.txt | "one\ntwo\n" |
    And the plan was executed on it
      """yaml
      decisions:
        - { id: edit, toolCalls: [{ tool: edit_file, input: { path: a.txt, edits: [{ oldText: one, newText: ONE }] } }] }
        - { id: make, toolCalls: [{ tool: write_file, input: { path: b.txt, content: "b\n" } }] }
      """
    When somebody writes the project anew
      | path  | content       |
      | a.txt | "eins\ntwo\n" |
    And somebody tries to make a merge of its digest
    Then it is refused with the code "merge_conflict"
    And these paths are in the way
      | path  | expected | found  | reason  |
      | a.txt | a file   | a file | overlap |
    And the project is as it was before
    And its changeset is still sealed under the same digest, with its lines
    And the phase is "completed"

  Scenario: A part takes along what it stands on
    Given a planner over HTTP
    And a project of the service that holds
      | path  | content      |
      | a.txt | "one\ntwo\n" |
    And the plan was executed on it
      """yaml
      decisions:
        - { id: first, toolCalls: [{ tool: edit_file, input: { path: a.txt, edits: [{ oldText: one, newText: ONE }] } }] }
        - { id: aside, toolCalls: [{ tool: write_file, input: { path: b.txt, content: "b\n" } }] }
        - { id: ground, toolCalls: [{ tool: write_file, input: { path: c.txt, content: "c\n" } }] }
        - { id: last, dependsOn: [ground], toolCalls: [{ tool: edit_file, input: { path: a.txt, edits: [{ oldText: ONE, newText: uno }] } }] }
      """
    When a part of "last" is made of its digest
    Then the part takes along
      | decision | needed by | because    |
      | first    | last      | a.txt      |
      | ground   | last      | depends_on |
    When the derived digest is applied
    Then the project of the service now holds
      | path  | content      |
      | a.txt | "uno\ntwo\n" |
      | c.txt | "c\n"        |
    And the phase is "completed"

  Scenario: A rollback is refused where later work stands on what it would take back
    Given a planner over HTTP
    And a project of the service that holds
      | path  | content |
      | a.txt | "one\n" |
    And the plan was executed on it
      """yaml
      decisions: [{ id: edit, toolCalls: [{ tool: edit_file, input: { path: a.txt, edits: [{ oldText: one, newText: ONE }] } }] }]
      """
    When its digest is applied
    And another plan is executed on it and applied
      """yaml
      decisions: [{ id: edit, toolCalls: [{ tool: edit_file, input: { path: a.txt, edits: [{ oldText: ONE, newText: ONE and more }] } }] }]
      """
    And somebody tries to make a rollback of its digest
    Then it is refused with the code "merge_conflict"
    And the project of the service now holds
      | path  | content          |
      | a.txt | "ONE and more\n" |
