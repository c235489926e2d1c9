Feature: Paths that stand, and bytes that stay
  No tool overwrites in silence, and no byte changes that nobody changed.

  @F14
  Scenario Outline: What would come onto a path that stands is refused
    Given a planner <where>
    And the project holds
      | path      | content      |
      | a.txt     | "a\n"        |
      | stands.md | "do not\n"   |
    When the plan is executed
      """yaml
      decisions:
        - id: move
          toolCalls: [{ tool: move_file, input: { source: a.txt, destination: stands.md } }]
        - id: link
          toolCalls: [{ tool: create_symlink, input: { path: stands.md, target: a.txt } }]
        - id: patch
          toolCalls:
            - tool: apply_patch
              input:
                patch: |
                  --- /dev/null
                  +++ b/stands.md
                  @@ -0,0 +1 @@
                  +overwritten
        - id: write
          toolCalls: [{ tool: write_file, input: { path: a.txt, content: "written\n" } }]
      """
    Then the plan ended as "failed"
    And decision "move" has failed with "path_exists"
    And decision "link" has failed with "path_exists"
    And decision "patch" has failed with "path_exists"
    And the entries are
      | decision | call | kind   | path  |
      | write    | 0    | modify | a.txt |
    And the file "stands.md" now holds "do not\n"

    Examples:
      | where      |
      | in process |

    @http
    Examples:
      | where     |
      | over HTTP |

  @F15
  Scenario Outline: Every byte around an edit stays
    Given a planner <where>
    And the project holds
      | path      | content                        |
      | crlf.txt  | "one\r\ntwo\r\nthree\r\n"      |
      | bom.txt   | "\ufeffone\ntwo\n"             |
      | mixed.txt | "one\r\ntwo\nthree\rfour\n"    |
      | open.txt  | "one\ntwo"                     |
    When the plan is executed
      """yaml
      decisions:
        - id: edit
          toolCalls:
            - { tool: edit_file, input: { path: crlf.txt, edits: [{ oldText: "two", newText: "2" }] } }
            - { tool: edit_file, input: { path: bom.txt, edits: [{ oldText: "two", newText: "2" }] } }
            - { tool: edit_file, input: { path: mixed.txt, edits: [{ oldText: "two", newText: "2" }] } }
            - { tool: edit_file, input: { path: open.txt, edits: [{ oldText: "two", newText: "2" }] } }
      """
    Then the plan ended as "completed"
    And the file "crlf.txt" now holds "one\r\n2\r\nthree\r\n"
    And the file "bom.txt" now holds "\ufeffone\n2\n"
    And the file "mixed.txt" now holds "one\r\n2\nthree\rfour\n"
    And the file "open.txt" now holds "one\n2"
    And git applies the diff to the project and comes to the same files

    Examples:
      | where      |
      | in process |

    @http
    Examples:
      | where     |
      | over HTTP |

  @F16
  Scenario Outline: A rename with an edit, and paths with spaces, ' b/' and other scripts
    Given a planner <where>
    And the project holds
      | path               | content                                     |
      | docs/a b/ünïcode.md | "1\n2\n3\n4\n5\n6\n7\n8\n9\n"               |
      | x b/y.txt          | "stays\n"                                   |
    When the plan is executed
      """yaml
      decisions:
        - id: rename
          toolCalls:
            - { tool: move_file, input: { source: "docs/a b/ünïcode.md", destination: "docs/c b/日本 語.md" } }
            - { tool: edit_file, input: { path: "docs/c b/日本 語.md", edits: [{ oldText: "5\n", newText: "five\n" }] } }
            - { tool: write_file, input: { path: "x b/y.txt", content: "changed\n" } }
      """
    Then the plan ended as "completed"
    And there is no file "docs/a b/ünïcode.md"
    And the file "docs/c b/日本 語.md" now holds "1\n2\n3\n4\nfive\n6\n7\n8\n9\n"
    And the file "x b/y.txt" now holds "changed\n"
    And git applies the diff to the project and comes to the same files

    Examples:
      | where      |
      | in process |

    @http
    Examples:
      | where     |
      | over HTTP |

  @F17
  Scenario Outline: A binary file that changes, an empty file that comes or goes
    Given a planner <where>
    And the project holds
      | path      | content          |
      | data.bin  | "\u0000\u0001\n" |
      | empty.txt | ""               |
    When the plan is executed
      """yaml
      decisions:
        - id: bytes
          toolCalls:
            - { tool: write_file, input: { path: data.bin, content: "AP8ACgH+", encoding: base64 } }
            - { tool: delete_file, input: { path: empty.txt } }
            - { tool: write_file, input: { path: other-empty.txt, content: "" } }
      """
    Then the plan ended as "completed"
    And the entries are
      | decision | call | kind   | path            |
      | bytes    | 0    | modify | data.bin        |
      | bytes    | 1    | delete | empty.txt       |
      | bytes    | 2    | create | other-empty.txt |
    And the file "data.bin" now holds the bytes "00ff000a01fe"
    And the file "other-empty.txt" now holds ""
    And the diff shows
      """
      GIT binary patch
      """
    And git applies the diff to the project and comes to the same files

    Examples:
      | where      |
      | in process |

    @http
    Examples:
      | where     |
      | over HTTP |

  @F18
  Scenario Outline: NUL and ill-formed bytes in what a tool reads and writes
    Given a planner <where>
    When the plan is executed
      """yaml
      decisions:
        - id: odd
          toolCalls:
            - { tool: write_file, input: { path: odd.bin, content: "AO2ggAD/", encoding: base64 } }
            - { tool: write_file, input: { path: nul.txt, content: "a\u0000b\n" } }
            - { tool: read_text_file, input: { path: nul.txt } }
        - id: after
          toolCalls: [{ tool: write_file, input: { path: after.txt, content: "after\n" } }]
      """
    Then the plan ended as "completed"
    And these decisions landed: "odd" and "after"
    And the file "odd.bin" now holds the bytes "00eda08000ff"
    And the output of call 2 of decision "odd" is kept

    Examples:
      | where      |
      | in process |

    @http
    Examples:
      | where     |
      | over HTTP |

  @F18
  Scenario: A lone surrogate in a tool's output
    Given an actor with a tool that answers a lone surrogate
    When it executes the decisions
      """yaml
      - id: d1
        toolCalls: [{ tool: answer, input: {} }]
      - id: d2
      """
    Then the result's decisions are "d1" and "d2"
    And decision "d1" landed
