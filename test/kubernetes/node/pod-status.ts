import type { ContainerRun } from './container-run.ts';

/** The conditions that controllers and helm look at. */
export function podConditions(
  since: string,
  init: readonly ContainerRun[],
  main: readonly ContainerRun[],
  wanted: number,
): readonly object[] {
  const initialized = init.every(({ exitCode }) => exitCode === 0);
  const ready = main.length === wanted && main.every(({ isReady }) => isReady);
  const changedAt = main.map(({ readySince }) => readySince).reduce((last, at) => (at > last ? at : last), since);
  const condition = (type: string, holds: boolean, at = since): object => ({
    type,
    status: holds ? 'True' : 'False',
    lastTransitionTime: at,
  });
  return [
    condition('PodScheduled', true),
    condition('Initialized', initialized),
    condition('ContainersReady', ready, changedAt),
    condition('Ready', ready, changedAt),
  ];
}
