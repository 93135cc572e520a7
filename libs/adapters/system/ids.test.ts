import { idsSuite } from '#port-suites/ids.ts';
import { createSystemIds } from './ids.ts';

idsSuite('system ids', createSystemIds);
