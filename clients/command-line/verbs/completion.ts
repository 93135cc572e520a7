import { COMPLETION_SCRIPTS, SHELLS } from '../completion-script.ts';
import { UsageError } from '../usage-error.ts';
import type { Verb } from '../verb.ts';

export const COMPLETION: Verb = {
  name: 'completion',
  summary: 'Print the completion of verbs, flags and Channels for a shell',
  takes: 'bash|zsh|fish',
  minWords: 1,
  maxWords: 1,
  flags: [],
  notes: [
    'bash: add source <(crier completion bash) to ~/.bashrc. zsh: the same in ~/.zshrc, after compinit. fish: crier completion fish > ~/.config/fish/completions/crier.fish',
  ],
  examples: ['crier completion bash', 'crier completion zsh', 'crier completion fish'],
  completesWords: SHELLS,
  run: async ({ terminal, words }) => {
    const shell = SHELLS.find((each) => each === words[0]);
    if (shell === undefined) throw new UsageError(`"${words[0]}" is none of ${SHELLS.join(', ')}`);
    terminal.out(COMPLETION_SCRIPTS[shell]);
    return 0;
  },
};
