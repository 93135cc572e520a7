import { scratchDiskSuite } from '#port-suites/scratch-disk.ts';
import { createMemoryScratchDisk } from './scratch-disk.ts';

scratchDiskSuite('memory scratch disk', () => ({ disk: createMemoryScratchDisk(), root: '/under-way' }));
