import { auditRows } from './audit.fixture.ts';
import { twoMemoryStores, twoSqliteStores } from './two-stores.fixture.ts';

auditRows('memory', twoMemoryStores);
auditRows('SQLite', twoSqliteStores);
