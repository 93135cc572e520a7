import { importsOf } from './imports.ts';
import { sources, type Rule, type Tree } from './tree.ts';

export const CYCLES: Rule = {
  name: 'no files import each other in a circle',
  why: 'none of a circle can be read, tested or moved without the others; imports of types count, as a reader follows them too',
  find: (tree) => circlesOf(tree).map((circle) => `${circle[0]}: ${[...circle, circle[0]].join(' -> ')}`),
};

/**
 * The strongly connected components of more than one file, by Tarjan's algorithm, each as one of its shortest circles.
 */
function circlesOf(tree: Tree): readonly (readonly string[])[] {
  const targets = new Map(sources(tree).map(([path, text]) => [path, ownTargets(path, text, tree)]));
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const components: string[][] = [];

  function visit(path: string): void {
    index.set(path, index.size);
    low.set(path, index.get(path)!);
    stack.push(path);
    for (const target of targets.get(path) ?? []) {
      if (!index.has(target)) visit(target);
      if (stack.includes(target)) low.set(path, Math.min(low.get(path)!, low.get(target)!));
    }
    if (low.get(path) === index.get(path)) components.push(stack.splice(stack.indexOf(path)));
  }

  for (const path of targets.keys()) if (!index.has(path)) visit(path);
  const circles = components.filter((component) => component.length > 1);
  return circles.map((component) => shortestCircle(component, targets));
}

function ownTargets(path: string, text: string, tree: Tree): readonly string[] {
  return importsOf(path, text, tree).flatMap(({ target, own }) => (own && tree.has(target) ? [target] : []));
}

function shortestCircle(
  component: readonly string[],
  targets: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  const circles = component.map((from) => {
    const ways: string[][] = [[from]];
    const seen = new Set<string>();
    for (const way of ways) {
      for (const target of targets.get(way.at(-1)!) ?? []) {
        if (target === from) return way;
        if (!component.includes(target) || seen.has(target)) continue;
        seen.add(target);
        ways.push([...way, target]);
      }
    }
    return component;
  });
  return circles.reduce((shortest, circle) => (circle.length < shortest.length ? circle : shortest));
}
