"""Uses of a mock are told from calls that run the function."""

from __future__ import annotations

import pytest

from repo_mcp.ask.stubs import is_stubbed

STUBBED = (
    "when(log.append(any(), eq(1))).thenReturn(info);",
    "Mockito.when(log.append(any()))",
    "given(this.log.append(batch)).willReturn(info);",
    "when(segments.active().append(any())).thenReturn(info);",
    "`when`(log.append(any())).thenReturn(info)",
    "verify(log).append(batch);",
    "verify(log, times(2)).append(any());",
    "inOrder.verify(log).append(batch);",
    "doReturn(info).when(log).append(any());",
    "then(log).should(never()).append(any())",
    "every { log.append(any()) } returns info",
    "coVerify(exactly = 1) { log.append(batch) }",
    """when(log.named("(").append(any())).thenReturn(info);""",
    "when(log /* of (one */ .append(any())).thenReturn(info);",
    "expect(log.append).toHaveBeenCalledWith(batch);",
    "vi.mocked(append).mockResolvedValue(info)",
    "log.append.mockReturnValue(info)",
    "log.append.assert_called_once_with(batch)",
    "log.append.return_value = info",
)
CALLED = (
    "when(store.remove(log.append(batch))).thenReturn(info);",
    "every { store.remove(log.append(batch)) } returns info",
    """when(clock.named("log.append")).thenReturn(info);""",
    "log.append(batch);",
    "assertEquals(info, log.append(batch));",
    "expect(log.append(batch)).toBe(info);",
    "when(clock.now()).thenReturn(log.append(batch));",
    "when (log.append(batch)) {",
    "verify(log.append(batch));",
    "verify(log).close(); log.append(batch);",
    "every { clock.now() } returns log.append(batch)",
    "log.appendAll.assert_called_once(); log.append(batch)",
)


@pytest.mark.parametrize("line", [*STUBBED, *CALLED])
def test_a_line_that_stubs_or_checks_a_mock_is_told_from_a_call(line: str) -> None:
    assert is_stubbed(line, "append") is (line in STUBBED)
