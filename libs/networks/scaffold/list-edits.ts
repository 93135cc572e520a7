export interface ListEdit {
  readonly path: string;
  /** Matches once: where the list ends, without what closes it. */
  readonly after: RegExp;
  /** With `__name__` and `__Name__` for the Network's. */
  readonly adds: string;
}

const vocabularyOf = (message: string): ListEdit => ({
  path: `schemas/avro/${message}.avsc`,
  after: /"name": "network", "type": "string", "vocabulary": \[[^\]]*(?=\])/,
  adds: ', "__name__"',
});

/**
 * Every list of Networks that does not derive from another one. The compiler names those of code when a Network is
 * missing; a test names the vocabularies of messages and of the API.
 */
export const LIST_EDITS: readonly ListEdit[] = [
  {
    path: 'libs/domain/network.ts',
    after: /^import \{ youtube \} from '.\/networks\/youtube.ts';/,
    adds: "\nimport { __name__ } from './networks/__name__.ts';",
  },
  {
    path: 'libs/domain/network.ts',
    after: /^const NETWORK_FACTS = \{[^}]*[^}\s,](?=,?\s*\})/,
    adds: ', __name__',
  },
  {
    path: 'libs/networks/registry.ts',
    after: /^import \{ youtubeNetwork \} from '.\/youtube\/definition.ts';/,
    adds: "\nimport { __name__Network } from './__name__/definition.ts';",
  },
  {
    path: 'libs/networks/registry.ts',
    after: /^const DEFINITIONS: [^=]* = \{[^}]*,(?=\n\})/,
    adds: '\n  __name__: __name__Network,',
  },
  {
    path: 'services/sandbox/simulators.ts',
    after: /^import \{ createYoutubeSimulator \} from '.\/youtube\/simulator.ts';/,
    adds: "\nimport { create__Name__Simulator } from './__name__/simulator.ts';",
  },
  {
    path: 'services/sandbox/simulators.ts',
    after: /^ {4}youtube: createYoutubeSimulator\(deps\),/,
    adds: '\n    __name__: create__Name__Simulator(deps),',
  },
  {
    path: 'services/sandbox/page-style.ts',
    after: /^const TINTS: [^=]* = \{[^}]*,(?=\n\})/,
    adds: "\n  __name__: '#6b7a3a',",
  },
  {
    path: 'schemas/http/post-answers.ts',
    after: /^export const Network = z\s*\.enum\(\[[^\]]*[^\]\s,](?=,?\s*\])/,
    adds: ", '__name__'",
  },
  vocabularyOf('ConnectChannel'),
  vocabularyOf('KeepConnection'),
  vocabularyOf('PublishVariant'),
  vocabularyOf('ReadMetrics'),
  {
    path: 'test/guarantees/files-for.ts',
    after: /^ {2}threads: \[\[\], .*,/,
    adds: '\n  __name__: [[]],',
  },
  {
    path: 'test/guarantees/sandbox-limits.ts',
    after: /^ {2}threads: \{ postsPerDay: NONE \},/,
    adds: '\n  __name__: {},',
  },
  {
    path: 'test/e2e/renditions.test.ts',
    after: /^const JUDGES: Readonly<Record<Network, Judge>> = \{/,
    adds: '\n  __name__: (_media, seen) => seen.map(() => null),',
  },
  {
    path: 'docs/networks/README.md',
    after: /^\| \[youtube\]\(youtube\.md\) \|.*/,
    adds: '\n| [__name__](__name__.md) | nothing yet | nothing yet | not known yet |',
  },
];
