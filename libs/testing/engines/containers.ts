import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import type { TestEngine } from './engine.ts';

export type ContainerRuntime = typeof import('testcontainers');

export interface ContainerPlan {
  readonly name: string;
  readonly image: string;
  /** The same inside and outside: engines give clients their own address, and it must survive a restart. */
  readonly port: number;
  readonly files: Readonly<Record<string, string>>;
  /** The container's only program, run by bash. */
  readonly script: string;
  readonly probe: () => Promise<void>;
  readonly readyWithinMs: number;
}

/**
 * testcontainers, when a container engine answers; else null. Importing it is slow, so this first checks whether an
 * engine can exist.
 */
export async function containerRuntime(): Promise<ContainerRuntime | null> {
  const sockets = ['/var/run/docker.sock', `${process.env['XDG_RUNTIME_DIR'] ?? '/run'}/docker.sock`];
  if (process.env['DOCKER_HOST'] === undefined && !sockets.some((socket) => existsSync(socket))) return null;
  const runtime = await import('testcontainers');
  return runtime.getContainerRuntimeClient().then(
    () => runtime,
    () => null,
  );
}

/**
 * An engine in a container. No container engine could run where this was developed: unlike child processes, this way
 * has only been type-checked.
 */
export async function startContainer(runtime: ContainerRuntime, plan: ContainerPlan): Promise<TestEngine> {
  const container = await new runtime.GenericContainer(plan.image)
    .withExposedPorts({ container: plan.port, host: plan.port })
    .withCopyContentToContainer(
      Object.entries(plan.files).map(([target, content]) => ({ target, content, mode: 0o644 })),
    )
    .withEntrypoint(['bash', '-c', plan.script])
    .start();
  const client = await runtime.getContainerRuntimeClient();
  const handle = client.container.getById(container.getId());
  await serving(plan);
  let stopped = false;
  return {
    how: 'container',
    pid: null,
    logFile: null,
    dataDir: null,
    kill: async (signal) => {
      if (signal === 'SIGSTOP') await handle.pause();
      else if (signal === 'SIGCONT') await handle.unpause();
      else {
        await handle.kill({ signal });
        await handle.wait();
      }
    },
    restart: async () => {
      await handle.kill({ signal: 'SIGKILL' }).catch(() => undefined);
      await handle.start();
      await serving(plan);
    },
    stop: async () => {
      if (stopped) return;
      stopped = true;
      await handle.remove({ force: true, v: true });
    },
  };
}

async function serving(plan: ContainerPlan): Promise<void> {
  const giveUpAt = performance.now() + plan.readyWithinMs;
  for (;;) {
    try {
      return await plan.probe();
    } catch (error) {
      if (performance.now() > giveUpAt)
        throw new Error(`${plan.name} in a container did not serve within ${plan.readyWithinMs} ms`, { cause: error });
    }
    await sleep(250);
  }
}
