# PowerShell completion of wf. It hands the line to wf as it stands, through a pipe, and takes over the
# answer: nothing in the line or in the answer is evaluated.

Register-ArgumentCompleter -Native -CommandName 'wf' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $line = $commandAst.Extent.Text
    $typed = $cursorPosition - $commandAst.Extent.StartOffset
    if ($line.Length -gt $typed) { $line = $line.Substring(0, $typed) } else { $line = $line.PadRight($typed) }
    $line | & (Get-Command -Name wf -CommandType Application -TotalCount 1) __line powershell 2>$null | ForEach-Object {
        $text, $hint = $_.Split("`t", 2)
        if (-not $hint) { $hint = $text }
        [System.Management.Automation.CompletionResult]::new($text, $text.TrimEnd(), 'ParameterValue', $hint)
    }
}
