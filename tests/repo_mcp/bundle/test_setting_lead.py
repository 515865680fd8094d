"""Bundles for questions about a setting: from its key to the code that uses its value."""

from __future__ import annotations

from pathlib import Path

from tests.repo_mcp.bundle.test_flow import ask

Tree = dict[str, str | bytes]

FILLER = {f"other_{n}.py": f"def read_log_{n}(size):\n    return size + {n}\n" for n in range(6)}


JAVA: Tree = {
    "src/Keys.java": (
        "package shop;\n\npublic class Keys {\n"
        '    public static final String PREFIX = "log.";\n'
        '    public static final String SEGMENT_BYTES = "log.segment.bytes";\n'
        '    public static final String CHECK_MS = PREFIX + "retention.check.ms";\n'
        "    public static final String LOG_FLUSH_MS_CONFIG = synonym(PREFIX);\n"
        "    static String synonym(String key) {\n        return key;\n    }\n}\n"
    ),
    "src/Config.java": (
        "package shop;\n\npublic class Config {\n"
        "    private final java.util.Properties values = new java.util.Properties();\n"
        "    public int segmentBytes() {\n"
        "        return Integer.parseInt(values.getProperty(Keys.SEGMENT_BYTES));\n    }\n"
        "    public int checkMs() {\n"
        "        return Integer.parseInt(values.getProperty(Keys.CHECK_MS));\n    }\n"
        "    public int flushMs() {\n"
        "        return Integer.parseInt(values.getProperty(Keys.LOG_FLUSH_MS_CONFIG));\n    }\n}\n"
    ),
    "src/Roller.java": (
        "package shop;\n\npublic class Roller {\n    private int size;\n"
        "    boolean isFull(Config config) {\n"
        "        int most = config.segmentBytes();\n        int at = size + 1;\n"
        "        at = at + 1;\n        at = at + 1;\n        return at > most;\n    }\n}\n"
    ),
    "conf/server.properties": "log.segment.bytes=1024\n",
    "docs/config.md": (
        "# Settings\n\nSee the log.segment.bytes of old.\n\n"
        "`log.segment.bytes`: a file is as long at most.\n"
    ),
    "src/test/RollerTest.java": (
        "package shop;\n\npublic class RollerTest {\n"
        '    void full() {\n        System.setProperty("log.segment.bytes", "1");\n    }\n}\n'
    ),
}


def test_a_key_leads_over_its_constant_and_the_function_that_reads_it_to_the_code(
    tmp_path: Path,
) -> None:
    bundle = ask(tmp_path, {**JAVA, **FILLER}, "Where is the setting log.segment.bytes read?")
    assert bundle.flow[:2] == (
        "log.segment.bytes → Keys.SEGMENT_BYTES (src/Keys.java:5)",
        (
            "Keys.SEGMENT_BYTES → Config.segmentBytes (src/Config.java:6)"
            " → src/Roller.java:6 in Roller.isFull"
        ),
    )
    assert "described in docs/config.md:5" in bundle.flow
    assert "also in conf/server.properties:1" in bundle.flow
    assert "tests: src/test/RollerTest.java" in bundle.flow
    paths = {item.path for item in bundle.file_excerpts()}
    assert {"src/Keys.java", "src/Config.java", "src/Roller.java", "docs/config.md"} <= paths
    assert not any(path.startswith("other_") for path in paths)
    assert not bundle.places


def test_tests_that_read_a_setting_are_named_and_not_shown(tmp_path: Path) -> None:
    test = (
        "package shop;\n\npublic class ConfigTest {\n    int read(Config config) {\n"
        "        return config.segmentBytes();\n    }\n}\n"
    )
    tree = {**JAVA, "src/test/ConfigTest.java": test}
    bundle = ask(tmp_path, tree, "Where is the setting log.segment.bytes read?")
    assert any("src/test/ConfigTest.java" in row for row in bundle.flow if row.startswith("tests:"))
    assert "src/Roller.java" in bundle.by_file()
    assert "src/test/ConfigTest.java" not in bundle.by_file()


def test_a_key_behind_a_prefix_is_found_by_its_end(tmp_path: Path) -> None:
    bundle = ask(tmp_path, JAVA, "Where is log.retention.check.ms read?")
    assert bundle.flow[0].startswith("log.retention.check.ms → Keys.CHECK_MS (src/Keys.java:6)")
    assert any("Config.checkMs (src/Config.java:9)" in line for line in bundle.flow)


def test_a_key_that_no_text_has_is_found_by_the_name_of_its_constant(tmp_path: Path) -> None:
    bundle = ask(tmp_path, JAVA, "Where is the setting log.flush.ms read?")
    assert bundle.flow[0].startswith("log.flush.ms → Keys.LOG_FLUSH_MS_CONFIG (src/Keys.java:7)")
    # a name alone is no sign of a setting where the question does not say that it is one
    assert not ask(tmp_path / "b", JAVA, "What does log.flush.ms do?").flow


GO: Tree = {
    "go.mod": "module example.com/shop\n\ngo 1.22\n",
    "main.go": (
        'package main\n\nimport "example.com/shop/viper"\n\n'
        "type Profile struct {\n\tListenPort int\n}\n\n"
        'func setUp() {\n\tviper.Flag("listen-port", 80)\n\tviper.SetEnvPrefix("shop")\n}\n\n'
        "func load() *Profile {\n\tprofile := &Profile{\n"
        '\t\tListenPort: viper.GetInt("listen-port"),\n\t}\n'
        "\tsetUp()\n\tsetUp()\n\treturn profile\n}\n\n"
        "func serve(profile *Profile) int {\n\tone := 1\n\ttwo := 2\n\tthree := 3\n"
        "\tfour := one + two + three\n\treturn profile.ListenPort + four\n}\n"
    ),
    "viper/viper.go": (
        "package viper\n\nfunc Flag(name string, value int) {}\n\n"
        "func SetEnvPrefix(name string) {}\n\nfunc GetInt(name string) int { return 0 }\n"
    ),
    "ui/form.ts": 'export const names = { listen: "listen-port" };\n',
}


def test_a_flag_leads_to_the_field_that_keeps_it(tmp_path: Path) -> None:
    bundle = ask(tmp_path, GO, "Where is the flag --listen-port read and what does it do?")
    assert any(
        line.startswith("listen-port → Profile.ListenPort (main.go:16, declared :6)")
        and "main.go:28 in main.serve" in line
        for line in bundle.flow
    )


def test_a_name_of_the_environment_is_made_of_a_prefix_and_a_flag(tmp_path: Path) -> None:
    bundle = ask(tmp_path, GO, "Where is SHOP_LISTEN_PORT read and what does it do?")
    told = "\n".join(bundle.flow)
    assert "main.go:10,11 in main.setUp" in told
    assert "Profile.ListenPort (main.go:16, declared :6)" in told
    assert "ui/form.ts" not in told
    # without such a prefix the name means nothing
    assert not ask(tmp_path / "b", GO, "Where is OTHER_LISTEN_PORT read?").flow


def test_an_option_by_its_path_is_the_field_of_a_type_of_that_name(tmp_path: Path) -> None:
    tree: Tree = {
        "config.go": (
            "package main\n\ntype Timeouts struct {\n\tIdleTime int\n}\n\n"
            "type Others struct {\n\tIdleTime int\n}\n\n"
            "func wait(timeouts *Timeouts, others *Others) int {\n\tone := 1\n\ttwo := 2\n"
            "\tthree := 3\n\tfour := one + two + three\n\treturn timeouts.IdleTime + four\n}\n"
        ),
        "go.mod": "module example.com/shop\n\ngo 1.22\n",
    }
    bundle = ask(tmp_path, tree, "Where is the option server.timeouts.idleTime used?")
    assert bundle.flow == (
        "server.timeouts.idleTime → Timeouts.IdleTime (config.go:4) → config.go:16 in main.wait",
    )


def test_the_callers_of_the_one_function_that_reads_a_setting_are_named(tmp_path: Path) -> None:
    tree: Tree = {
        "words.py": (
            'import os\n\nNAMES = "shop.words"\n\n\ndef is_allowed(word):\n'
            "    found = set()\n    for name in os.environ[NAMES].split():\n"
            "        found.add(name)\n    found.add('stop')\n    found.add('go')\n"
            "    return word in found\n"
        ),
        "run.py": (
            "from words import is_allowed\n\n\ndef run(word):\n    return is_allowed(word)\n"
        ),
    }
    bundle = ask(tmp_path, tree, "What does shop.words do and where is it read?")
    assert bundle.flow == (
        "shop.words → words.NAMES (words.py:3) → words.py:8 in words.is_allowed",
        "words.is_allowed is called: run.py:5 in run.run",
    )


def test_a_local_variable_that_gets_a_setting_is_followed_in_its_function(tmp_path: Path) -> None:
    tree: Tree = {
        "ip.ts": (
            "export function address(headers: Map<string, string>) {\n"
            "  const header = process.env.CLIENT_HEADER;\n  let found = '';\n"
            "  for (const one of headers.keys()) {\n    found += one;\n  }\n"
            "  return header && found ? headers.get(header) : found;\n}\n"
        ),
        "ip.test.ts": "process.env.CLIENT_HEADER = 'x';\n",
    }
    bundle = ask(tmp_path, tree, "Where is CLIENT_HEADER read and what does it do?")
    assert bundle.flow == (
        "CLIENT_HEADER: ip.ts:2 in address",
        "the value is used: ip.ts:7 in address",
        "tests: ip.test.ts",
    )


def test_a_setter_gives_the_value_to_its_field(tmp_path: Path) -> None:
    tree: Tree = {
        "src/Auth.java": (
            "package shop;\n\npublic class Auth {\n    private static boolean isOpen;\n\n"
            '    @Value("${shop.auth.enabled:true}")\n'
            "    public void take(boolean enabled) {\n        Auth.isOpen = enabled;\n"
            "        return;\n    }\n\n    public static boolean allows(int one) {\n"
            "        int two = one;\n        two = two + 1;\n        two = two + 1;\n"
            "        two = two + 1;\n        return isOpen && two > 1;\n    }\n}\n"
        ),
    }
    bundle = ask(tmp_path, tree, "Where is the setting shop.auth.enabled read?")
    assert bundle.flow[0] == "shop.auth.enabled → Auth.take (src/Auth.java:6)"
    assert bundle.flow[1].startswith("Auth.take → Auth.isOpen (src/Auth.java:8, declared :4)")
    assert bundle.flow[1].endswith("src/Auth.java:17 in Auth.allows")


def test_texts_with_a_plain_name_are_keys_and_its_variables_are_none(tmp_path: Path) -> None:
    tree: Tree = {
        "parse.py": (
            "class Config:\n    def __init__(self):\n        self.maxRetries = 0\n\n"
            "    def parse(self, key, value):\n        one = value\n        two = one\n"
            "        three = two\n        if key == 'maxRetries':\n"
            "            self.maxRetries = int(three)\n"
        ),
        "other.py": "def other(maxRetries):\n    return maxRetries + 1\n",
    }
    bundle = ask(tmp_path, tree, "Where is the setting maxRetries read?")
    told = "\n".join(bundle.flow)
    assert "parse.py:9" in told
    assert "other.py" not in told


def test_a_key_that_no_code_has_leaves_the_bundle_as_it_is(tmp_path: Path) -> None:
    tree: Tree = {**FILLER, "docs/config.md": "`log.gone.bytes` is gone.\n"}
    assert not ask(tmp_path, tree, "Where is the setting log.gone.bytes read?").flow
