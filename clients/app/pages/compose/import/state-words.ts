import type { RowState } from './import-run.ts';

export function stateWords(state: RowState): string {
  switch (state.kind) {
    case 'waiting':
      return 'Not checked yet';
    case 'good':
      return 'Ready';
    case 'created':
      return state.wasThere ? 'Had been created already' : 'Created';
    default:
      return state.messages.join(' ');
  }
}
