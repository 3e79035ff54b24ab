/** What a shell loads. Each script asks `lockstep __complete` for the words, so it never gets out of date. */
export const completionScripts = {
  bash: `# lockstep: eval "$(lockstep completion bash)"
_lockstep() {
  local IFS=$'\\n'
  COMPREPLY=($(lockstep __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
  [[ \${#COMPREPLY[@]} -eq 0 ]] && compopt -o default
}
complete -F _lockstep lockstep`,
  zsh: `#compdef lockstep
# lockstep: eval "$(lockstep completion zsh)"
_lockstep() {
  local -a offers
  offers=("\${(@f)$(lockstep __complete -- "\${words[@]:1:$((CURRENT - 1))}" 2>/dev/null)}")
  if [[ -n "\${offers[1]}" ]]; then compadd -- "\${offers[@]}"; else _files; fi
}
compdef _lockstep lockstep`,
  fish: `# lockstep: lockstep completion fish | source
complete -c lockstep -a '(lockstep __complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'`,
} as const;

export type Shell = keyof typeof completionScripts;
