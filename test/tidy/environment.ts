import { codeLines, isExample, sources, type Rule, type Tree } from './tree.ts';

const HOME = 'libs/config/config.ts';
/** Engines of tests have variables of their own; what makes a child process hands its environment on. */
const ALSO = /^(libs\/testing\/engines|test\/)|\.(test|child|fixture)\.ts$/;

export const ENVIRONMENT: Rule = {
  name: `process.env is read in ${HOME} only`,
  why: 'settings are one table with types, defaults, checks and docs; a variable read elsewhere is in none of them',
  find: (tree) =>
    sources(tree).flatMap(([path, text]) =>
      path === HOME || ALSO.test(path) || isExample(path)
        ? []
        : codeLines(text).flatMap(([line, code]) =>
            /\bprocess\.env\b/.test(code) ? [`${path}:${line}: process.env`] : [],
          ),
    ),
};

export const UNREAD_SETTINGS: Rule = {
  name: 'every setting is read',
  why: 'a setting that no code reads promises what does not happen',
  find: (tree) => {
    const code = sources(tree).filter(
      ([path]) =>
        /^(services|libs)\//.test(path) &&
        !/^libs\/config\/(config|settings)\b/.test(path) &&
        !/\.(test|fixture)\.ts$/.test(path),
    );
    const text = code
      .map(([, source]) =>
        codeLines(source)
          .map(([, line]) => line)
          .join('\n'),
      )
      .join('\n');
    return settingNames(tree)
      .filter((name) => !isRead(name, text))
      .map((name) => `libs/config/settings.ts: ${name} is not read`);
  },
};

/**
 * `config.name`, `settings.name`, or taken apart: `const { name } = config`. A Network's definition is handed the
 * settings in `addressesFor`.
 */
function isRead(name: string, text: string): boolean {
  if (new RegExp(`\\b(config|settings)\\.${name}\\b`).test(text)) return true;
  if (new RegExp(`\\baddressesFor: \\([^)]*\\{[^{}]*\\b${name}\\b`).test(text)) return true;
  return new RegExp(`\\{[^{}]*\\b${name}\\b[^{}]*\\}(: \\w+)? = [\\w.]*(config|settings)\\b`).test(text);
}

function settingNames(tree: Tree): string[] {
  const table = tree.get('libs/config/settings.ts') ?? '';
  return [...table.matchAll(/^ {2}(\w+): \w+\(\s*'CRIER_[A-Z0-9_]+'/gm)].map((match) => match[1]!);
}
