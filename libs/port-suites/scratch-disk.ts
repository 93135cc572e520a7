import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { PortError } from '#ports/errors.ts';
import type { ScratchDisk } from '#ports/scratch-disk.ts';

/** `root`: a folder that need not be there. */
export function scratchDiskSuite(
  name: string,
  open: () => { readonly disk: ScratchDisk; readonly root: string },
): void {
  describe(name, () => {
    const of = (text: string): Readable => Readable.from([Buffer.from(text)]);

    test('a file has the bytes that were written to it', async () => {
      const { disk, root } = open();
      await disk.makeFolder(join(root, 'one/job'));
      await disk.write(join(root, 'one/job/file'), Readable.from([Buffer.from('all '), Buffer.from('of it')]));
      expect((await buffer(disk.read(join(root, 'one/job/file')))).toString()).toBe('all of it');
    });

    test('a folder that is there stays as it is', async () => {
      const { disk, root } = open();
      await disk.makeFolder(root);
      await disk.write(join(root, 'file'), of('kept'));
      await disk.makeFolder(root);
      expect((await buffer(disk.read(join(root, 'file')))).toString()).toBe('kept');
    });

    test('a folder is removed with all that is in it, and no other', async () => {
      const { disk, root } = open();
      for (const folder of ['job', 'job-2']) {
        await disk.makeFolder(join(root, folder));
        await disk.write(join(root, folder, 'file'), of(folder));
      }
      await disk.remove(join(root, 'job'));
      await expect(buffer(disk.read(join(root, 'job/file')))).rejects.toThrow();
      expect((await buffer(disk.read(join(root, 'job-2/file')))).toString()).toBe('job-2');
      await disk.remove(join(root, 'job'));
    });

    test('without its folder nothing is written, and that may be tried again', async () => {
      const { disk, root } = open();
      const failure = await disk.write(join(root, 'none/file'), of('lost')).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(PortError);
      expect((failure as PortError).kind).toBe('unavailable');
    });

    test('a stream that fails fails the write', async () => {
      const { disk, root } = open();
      await disk.makeFolder(root);
      const broken = Readable.from(
        (async function* () {
          yield Buffer.from('half');
          throw new PortError('unavailable', 'the store is away');
        })(),
      );
      await expect(disk.write(join(root, 'file'), broken)).rejects.toThrow('the store is away');
    });
  });
}
