"""`repo.ask`: one call for questions of several kinds, each with a verdict and the next step."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from code_graph.query.model import FUNCTIONS
from index_format.late_import import import_object
from index_format.tuples import NamedTuple
from repo_mcp.answers import asked
from repo_mcp.answers.asked import AskedPart, AskResult
from repo_mcp.answers.lines import NumberedLines
from repo_mcp.answers.records import AnswerRecord
from repo_mcp.answers.repository import SearchResult
from repo_mcp.answers.symbols import SymbolAnswer
from repo_mcp.answers.tour import Tour
from repo_mcp.answers.verdicts import (
    ABSENT,
    PARTLY,
    NextCall,
    Verdict,
    join_verdicts,
    judge,
    judge_tests,
)
from repo_mcp.ask import names_of_setting, pattern_of, take_tour
from repo_mcp.errors import Problem
from repo_mcp.model import AnswerWarning
from repo_mcp.question.kinds import Intent, phrase_of
from repo_mcp.repository import folder_of_path
from repo_mcp.text.files import Rows
from repo_mcp.toolsets.interrogator.another_of_kind import AnotherOfKind
from repo_mcp.toolsets.interrogator.answer_part import AnswerPart, part_of, refused_part
from repo_mcp.toolsets.interrogator.asked_question import AskedQuestion, read_questions
from repo_mcp.toolsets.interrogator.declarations import (
    BUILD_CONTEXT_BUNDLE,
    HANDLERS,
    HISTORY,
    OPEN_FILE,
    OUTLINE,
    SEARCH,
)
from repo_mcp.toolsets.interrogator.followed_flow import FollowedFlow
from repo_mcp.toolsets.interrogator.owners import NamedOwners
from repo_mcp.toolsets.interrogator.packages import NamedPackages
from repo_mcp.toolsets.interrogator.symbol import SymbolOverview
from repo_mcp.toolsets.kit.addresses import parse_citation, path_of
from repo_mcp.toolsets.kit.answers import Outcome
from repo_mcp.toolsets.kit.arguments import check_arguments
from repo_mcp.toolsets.kit.services import Arguments, Context, Handler, ToolServices
from repo_mcp.toolsets.kit.spec import COMMITS, Tool

_MOST_QUESTIONS: Final = 10
_MOST_NAMES: Final = 10
# the size of an answer: half of what clients cut
_PAGE: Final = 20_000
# a part is no smaller
_LEAST: Final = 2_000
# less room has no part
_SHORTEST: Final = 500
# how much more room a symbol's answer is given where its tests alone are shown
_TESTS_SHARE: Final = 3
# declarations for a question in words: each is shown with its lines
_HITS: Final = 8
# lines of a function that is shown whole
_MOST_WHOLE: Final = 120
# words of a label of a setting
_LONGEST_LABEL: Final = 6
_CODE_NAME: Final = re.compile(
    r"[^\W\d][\w$@]*(?:(?:\.|::|#|/|:|->)~?[\w$@.<>/-]+)*(?:\([^()]*\))?"
)
_QUOTES: Final = "\"`'"


class _SortedNames(NamedTuple):
    """The names of a question by what they are."""

    places: Sequence[str]
    folders: Sequence[str]
    symbols: Sequence[str]
    texts: Sequence[str]


class Ask:
    """Answers questions by the handlers of the other tools."""

    def __init__(
        self, services: ToolServices, tell_step: Callable[[str | NextCall], str] = str
    ) -> None:
        """`tell_step` writes the next step for who can't call tools."""
        self._services = services
        self._tell_step = tell_step
        self._symbols = SymbolOverview(services)
        self._kinds = AnotherOfKind(services)
        self._flows = FollowedFlow(services)
        self._owners = NamedOwners(services)
        self._packages = NamedPackages(services)
        self._handlers: dict[str, Handler] = {}
        # the first answer says what the repository is
        self._has_toured = False
        self._by_want: Mapping[
            str, Callable[[AskedQuestion, int, Context], Iterator[AnswerPart]]
        ] = {
            asked.AUTO: self._answer_names,
            asked.WHERE: self._find_places,
            asked.USES: self._answer_names,
            asked.TESTS: self._answer_names,
            asked.SETTING: self._find_setting,
            asked.WHY: self._find_reason,
            asked.FIX: self._find_cause,
            asked.FLOW: self._follow,
            asked.PLAN: self._plan,
            asked.TOUR: self._tour,
            asked.OWNERS: self._find_owners,
            asked.PACKAGES: self._find_packages,
        }

    def __call__(self, arguments: Arguments, context: Context) -> Outcome:
        """The parts of the answer, each in a fair share of the page."""
        warnings: list[AnswerWarning] = []
        questions = read_questions(arguments)
        left = [item.title for item in questions[_MOST_QUESTIONS:]]
        questions = questions[:_MOST_QUESTIONS]
        left += [name for item in questions for name in item.names[_MOST_NAMES:]]
        page = self._services.page_size(arguments["max_chars"], warnings, _PAGE)
        room = self._services.room(page, AnswerRecord(), warnings)
        parts: list[AnswerPart] = []
        for number, question in enumerate(questions):
            if parts and room < _SHORTEST:
                left.append(question.title)
                continue
            share = max(room // (len(questions) - number), _LEAST)
            for part in self._answer(question, share, context):
                if parts and room < _SHORTEST:
                    left.append(part.title)
                    continue
                parts.append(part.fitting(room))
                room -= parts[-1].size
        for at, part in enumerate(parts):
            parts[at] = part.widened(room)
            room -= parts[at].size - part.size
        if left:
            warnings.append(AnswerWarning("limit", f"left for another call: {', '.join(left)}"))
        verdict = join_verdicts([(part.title, part.verdict) for part in parts])
        result = AskResult(
            verdict=str(verdict),
            next=self._tell_step(verdict.step),
            parts=[
                AskedPart(
                    title=part.title,
                    verdict=str(part.verdict),
                    next=self._tell_step(part.verdict.step),
                    lines=[*part.lines],
                )
                for part in parts
            ],
        )
        if arguments["with_tour"]:
            is_first = not self._has_toured and all(item.want != asked.TOUR for item in questions)
            if is_first and room > _LEAST:
                result.tour = self._take_tour(context).in_brief()
            self._has_toured = True
        # one of a code: parts differ in numbers of files
        warnings += {item.code: item for part in parts for item in part.warnings}.values()
        shown = [place for part in parts for place in part.shown]
        generation = max(part.generation for part in parts)
        return Outcome(result, warnings, shown=shown, generation=generation)

    def _answer(
        self, question: AskedQuestion, share: int, context: Context
    ) -> Iterator[AnswerPart]:
        """The parts of the answer to one question; a part that fails says why."""
        parts = self._by_want[question.want](question, share, context)
        return _or_refused(question.title, parts)

    def _call(self, tool: Tool, arguments: Mapping[str, Any], context: Context) -> Outcome:
        """The answer of another tool."""
        given = {**tool.inner, **check_arguments(tool, arguments)}
        row = HANDLERS[tool.name]
        target = row if isinstance(row, str) else row(given)
        if target not in self._handlers:
            self._handlers[target] = import_object(target)(self._services)
        return self._handlers[target](given, context)

    def _ask(
        self, title: str, tool: Tool, given: Mapping[str, Any], context: Context
    ) -> AnswerPart:
        """The answer of another tool as a part, or why there is none.

        Its next page is a call of that tool.
        """
        try:
            outcome = self._call(tool, given, context)
        except Problem as problem:
            return refused_part(title, problem)
        part = part_of(title, outcome)
        cursor = getattr(outcome.result, "cursor", "")
        if not (cursor and part.verdict.step):
            return part
        call = {**given, "cursor": cursor}
        # a revision of the history's is a commit that is asked about
        if context.place.revision and tool.reads != COMMITS:
            call["rev"] = context.place.revision
        step = NextCall(tool.name, call)
        return part._replace(verdict=part.verdict._replace(step=step))

    def _answer_names(
        self, question: AskedQuestion, share: int, context: Context
    ) -> Iterator[AnswerPart]:
        """Lines of files, symbols, texts, as each name is one; then the hits for the words."""
        names = self._sort(question.names[:_MOST_NAMES], context)
        parts = bool(names.places) + len(names.folders) + len(names.symbols) + len(names.texts)
        parts += bool(question.words and question.want == asked.AUTO) or not parts
        each = max(share // max(parts, 1), _LEAST)
        if names.places:
            yield self._open(names.places, each * max(len(names.places), 1), context)
        for folder in names.folders:
            given = {"path": folder, "max_chars": each}
            yield self._ask(f"outline {folder}", OUTLINE, given, context)
        if names.symbols:
            is_alone = len(names.symbols) == 1 and not question.words
            described = _or_refused(
                ", ".join(names.symbols),
                self._describe(names.symbols, question.want, each, context),
            )
            # of several names, or beside words, all uses are not what is asked for
            wants_all = is_alone or question.want == asked.USES
            yield from described if wants_all else map(_settled, described)
        for text in names.texts:
            yield self._find_text(text, each, context)
        if question.words and (question.want == asked.AUTO or not question.names):
            yield self._rank(question, each, context)

    def _find_places(
        self, question: AskedQuestion, share: int, context: Context
    ) -> Iterator[AnswerPart]:
        """The names that the asker expects; then the places for the words."""
        return self._after_names(question, share, context, self._rank)

    def _after_names(
        self,
        question: AskedQuestion,
        share: int,
        context: Context,
        answer_words: Callable[[AskedQuestion, int, Context], AnswerPart],
    ) -> Iterator[AnswerPart]:
        """The names that the asker expects, in half of the room; then the answer to the words."""
        left = share // 2 if question.names else share
        if question.names:
            named = question._replace(words="", want=asked.AUTO)
            yield from self._answer_names(named, share - left, context)
        if question.words:
            yield answer_words(question, left, context)

    def _sort(self, names: Sequence[str], context: Context) -> _SortedNames:
        """The names by what they are: files and folders that exist, names of code, other texts."""
        places: list[str] = []
        folders: list[str] = []
        symbols: list[str] = []
        texts: list[str] = []
        for name in names:
            bare = name.strip(_QUOTES)
            if bare != name:
                texts.append(bare)
            elif self._is_file(name, context):
                places.append(name)
            elif "/" in name and self._is_folder(name.rstrip("/")):
                folders.append(name.rstrip("/"))
            elif _CODE_NAME.fullmatch(name):
                symbols.append(name.removesuffix("()"))
            else:
                texts.append(name)
        return _SortedNames(places, folders, symbols, texts)

    def _is_file(self, name: str, context: Context) -> bool:
        """True for a file, alone or with a range of lines; a single line names its symbol.

        Nothing else has a range, so that a file which is not there is told to be none.
        """
        path = path_of(name)
        citation = parse_citation(path)
        if citation is not None and citation.last is None:
            return False
        if not ("/" in path or "." in path):
            return False
        if citation is not None:
            return True
        try:
            self._services.repository.read(path, context.budget)
        except Problem as problem:
            # a route begins with a slash, too
            is_route = problem.code == "path_outside" and "." not in path.rpartition("/")[2]
            no_file = ("not_found", "path_invalid", "not_a_file", "cancelled")
            return problem.code not in no_file and not is_route
        return True

    def _is_folder(self, name: str) -> bool:
        try:
            folder_of_path(self._services.repository.sandbox, name, Problem("not_a_file"))
        except Problem:
            return False
        return True

    def _open(self, places: Sequence[str], most: int, context: Context) -> AnswerPart:
        """Lines of files."""
        given = {"path": places[0], "ranges": [*places], "max_chars": most}
        return self._ask(", ".join(places), OPEN_FILE, given, context)

    def _describe(
        self, names: Sequence[str], want: str, each: int, context: Context
    ) -> Iterator[AnswerPart]:
        """Symbols, or lines with a name that nothing declares."""
        uses = want == asked.USES
        # of an answer in which only tests are shown, the rest takes no room; whole code takes half
        shares = {asked.TESTS: each * _TESTS_SHARE, asked.AUTO: each // 2}
        most = shares.get(want, each)
        symbols = self._symbols.find(names, most * len(names), context, callers_only=uses)
        for name in names:
            answer = symbols.answers.get(name)
            if answer is None:
                part = self._find_text(name, each, context, is_word=True)
                problem = symbols.missing.get(name)
                if problem is not None and problem.code == "graph_missing":
                    part = part._replace(verdict=refused_part(name, problem).verdict)
                yield part
                continue
            is_about_tests = want == asked.TESTS
            judged = judge_tests if is_about_tests else judge
            verdict = judged(answer, symbols.warnings)
            title = name if want == asked.AUTO else f"{want} {name}"
            rows = answer.tests_as_text() if is_about_tests else answer.lines_alone()
            part = AnswerPart(
                title, verdict, [*rows], symbols.warnings, symbols.shown, symbols.generation
            )
            if want == asked.AUTO and (code := self._whole_code(answer, context)) is not None:
                answer.code = code
                wide = part._replace(whole=[*answer.lines_alone()])
                # half of its share is for its code, more only where the page has room
                part = wide.widened(each - each // 2)
            yield part

    def _whole_code(self, answer: SymbolAnswer, context: Context) -> NumberedLines | None:
        """All lines of a function of which a part is shown; None for a long one."""
        count = answer.end_line - answer.start_line + 1
        is_whole = len(answer.code) >= count
        if is_whole or answer.kind not in FUNCTIONS or not answer.path or count > _MOST_WHOLE:
            return None
        content = self._services.repository.read(answer.path, context.budget)
        rows = [*Rows(content.data).between(answer.start_line, answer.end_line)]
        return NumberedLines.of(rows, answer.start_line)

    def _find_text(
        self, text: str, most: int, context: Context, *, is_word: bool = False
    ) -> AnswerPart:
        """The lines with a text."""
        given = {"query": text, "mode": "literal", "whole_word": is_word, "smart_case": True}
        part = self._ask(f'"{text}"', SEARCH, {**given, "max_chars": most}, context)
        return part._replace(lines=()) if part.verdict.state == ABSENT else part

    def _rank(self, question: AskedQuestion, most: int, context: Context) -> AnswerPart:
        """The declarations that fit the words best, with their lines."""
        given = {"query": question.words, "show": "bodies", "top_k": _HITS, "max_chars": most}
        return self._ask(question.words, SEARCH, given, context)

    def _find_setting(
        self, question: AskedQuestion, share: int, context: Context
    ) -> Iterator[AnswerPart]:
        """Every line with a setting's names, its label and what its value is named; its tests."""
        given_names = question.names[:_MOST_NAMES] or (question.words,)
        names = [name.strip(_QUOTES) for name in given_names]
        label = question.words if question.names else ""
        if label and len(label.split()) <= _LONGEST_LABEL:
            names.append(label)

        def find_lines(pattern: str) -> list[str]:
            given = {"query": pattern, "mode": "regex", "ignore_case": True, "kind": "code"}
            outcome = self._call(SEARCH, {**given, "max_chars": _PAGE}, context)
            files = outcome.result.files if isinstance(outcome.result, SearchResult) else ()
            return [line.text for file in files for line in file.lines.lines]

        known = names_of_setting(names, find_lines)
        given = {"query": pattern_of(known), "mode": "regex", "ignore_case": True}
        given = {**given, "show": "symbols", "max_chars": share}
        part = self._ask(f"setting {', '.join(names)}", SEARCH, given, context)
        named = f"in any spelling of {', '.join(known)}:"
        part = part._replace(lines=[named, *part.lines])
        yield part
        room = max(share - part.size, _LEAST)
        symbols = self._symbols.find(known, share, context)
        for name, answer in symbols.answers.items():
            lines = [*answer.tests_as_text()]
            room -= sum(map(len, lines))
            if room > 0 and (answer.tests or answer.reaching_tests):
                verdict = judge_tests(answer, symbols.warnings)
                yield AnswerPart(f"tests of {name}", verdict, lines, (), symbols.shown)

    def _find_reason(
        self, question: AskedQuestion, share: int, context: Context
    ) -> Iterator[AnswerPart]:
        """The commits that changed lines or symbols, or are about the words."""
        names = question.names[:_MOST_NAMES] or ("",)
        each = max(share // len(names), _LEAST)
        for name in names:
            citation = parse_citation(path_of(name)) if name else None
            if citation is not None:
                last = citation.last or citation.first
                given = {"path": citation.path, "lines": f"{citation.first}-{last}"}
            elif not name:
                given = {"words": question.words}
            elif self._is_file(name, context):
                given = {"path": path_of(name)}
            elif _CODE_NAME.fullmatch(name):
                given = {"symbol": name.removesuffix("()")}
            else:
                given = {"text": name.strip(_QUOTES)}
            title = f"history of {name or question.words}"
            yield self._ask(title, HISTORY, {**given, "max_chars": each}, context)

    def _find_cause(
        self, question: AskedQuestion, share: int, context: Context
    ) -> Iterator[AnswerPart]:
        """The names that the asker expects; then the places for a report."""
        return self._after_names(question, share, context, self._collect)

    def _collect(self, question: AskedQuestion, most: int, context: Context) -> AnswerPart:
        """The excerpts that a report needs."""
        given = {"prompt": question.words, "max_chars": most}
        return self._ask("places for the report", BUILD_CONTEXT_BUNDLE, given, context)

    def _tour(
        self,
        question: AskedQuestion,
        share: int,  # noqa: ARG002 a tour is short
        context: Context,
    ) -> Iterator[AnswerPart]:
        """A tour of the repository."""
        yield AnswerPart(question.title, Verdict(), [*self._take_tour(context).as_text()])

    def _take_tour(self, context: Context) -> Tour:
        repository = self._services.repository
        return take_tour(repository.manager, repository.sandbox, context.budget)

    def _find_owners(
        self,
        question: AskedQuestion,
        share: int,
        context: Context,
    ) -> Iterator[AnswerPart]:
        """The owners of files, folders and the files of symbols; then those for the words."""
        names = self._sort(question.names[:_MOST_NAMES], context)
        files = [path_of(name) for name in names.places]
        texts = [*names.texts] if question.names else [phrase_of(question.words, Intent.OWNERS)]
        if names.symbols:
            symbols = self._symbols.find(names.symbols, share, context).answers
            paths = {name: symbols[name].path for name in names.symbols if name in symbols}
            files += dict.fromkeys(filter(None, paths.values()))
            texts += [name for name in names.symbols if not paths.get(name)]
        parts = [self._owners.of_words(text, context) for text in texts]
        if files or names.folders:
            parts.insert(0, self._owners.of_paths(files, names.folders, context))
        yield from parts
        # "who owns the lock" may be about code
        if question.words and all(part.verdict.lacks for part in parts):
            yield self._rank(question, share, context)

    def _find_packages(
        self, question: AskedQuestion, share: int, context: Context
    ) -> Iterator[AnswerPart]:
        """Each package with what it depends on and what on it; without a name all of them."""
        names = question.names or (
            (phrase_of(question.words, Intent.PACKAGES),) if question.words else ("",)
        )
        parts = [self._packages.of_name(name.strip(_QUOTES), context) for name in names]
        yield from parts
        # "what uses the target" may be about code
        if question.words and not any(part.lines for part in parts):
            yield self._rank(question, share, context)

    def _plan(self, question: AskedQuestion, share: int, context: Context) -> Iterator[AnswerPart]:
        """The places that one more of the kind of each name needs."""
        if not question.names:
            yield self._rank(question, share, context)
        each = max(share // max(len(question.names), 1), _LEAST)
        names = [name.strip(_QUOTES) for name in question.names[:_MOST_NAMES]]
        yield from self._kinds.answer(names, each, context)

    def _follow(
        self, question: AskedQuestion, share: int, context: Context
    ) -> Iterator[AnswerPart]:
        """The chains of calls between the ends of a flow, or those that its words are about."""
        stops = [question.start, *re.split(r"\s*,\s*", question.over), question.end]
        stops = [stop for stop in stops if stop]
        if len(stops) < 2:
            names = [*stops, *question.names][:_MOST_NAMES]
            yield from self._follow_names(question, names, share, context)
            return
        each = max(share // (len(stops) - 1), _LEAST)
        for start, end in pairwise(stops):
            yield self._flows.answer(f"from {start} to {end}", (start, end), each, context)

    def _follow_names(
        self, question: AskedQuestion, names: Sequence[str], share: int, context: Context
    ) -> Iterator[AnswerPart]:
        """The calls around each name; then the flow that the words are about."""
        each = max(share // (len(names) + bool(question.words)), _LEAST)
        for name in names:
            yield self._flows.around(name.strip(_QUOTES).removesuffix("()"), each, context)
        if question.words:
            yield self._flows.answer(question.words, names, each, context)


def _or_refused(title: str, parts: Iterator[AnswerPart]) -> Iterator[AnswerPart]:
    """The parts; one that fails says why, and what comes behind these is asked still."""
    try:
        yield from parts
    except Problem as problem:
        yield refused_part(title, problem)


def _settled(part: AnswerPart) -> AnswerPart:
    """The part, without a verdict about uses that are known and not listed."""
    is_cut = part.verdict.state == PARTLY and part.verdict.is_cut
    return part._replace(verdict=Verdict()) if is_cut else part
