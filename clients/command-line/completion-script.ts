/** Shells that the command line writes a completion for. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

// Each script asks the program itself, by the hidden verb __complete, which knows verbs, flags and the names of
// Channels. What it prints is one candidate a line; a line `:files` lets the shell complete names of files.

const BASH = `_crier() {
  local IFS=$'\\n' line
  COMPREPLY=()
  while read -r line; do
    if [ "$line" = ":files" ]; then
      compopt -o filenames 2>/dev/null
      COMPREPLY+=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}"))
    else
      COMPREPLY+=("$(printf '%q' "$line")")
    fi
  done < <("\${COMP_WORDS[0]}" __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _crier crier
`;

const ZSH = `#compdef crier
_crier() {
  local -a candidates
  candidates=("\${(@f)$("\${words[1]}" __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if (( \${candidates[(Ie):files]} )); then
    candidates=("\${(@)candidates:#:files}")
    _files
  fi
  compadd -- "\${(@)candidates:#}"
}
compdef _crier crier
`;

const FISH = `function __crier_complete
  set -l words (commandline -opc) (commandline -ct)
  for line in ($words[1] __complete $words[2..-1] 2>/dev/null)
    if test "$line" = ":files"
      __fish_complete_path (commandline -ct)
    else
      echo $line
    end
  end
end
complete -c crier -f -a '(__crier_complete)'
`;

export const COMPLETION_SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH };
