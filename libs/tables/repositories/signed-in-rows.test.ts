import { signedInRows } from './signed-in-rows.fixture.ts';
import { twoMemoryStores, twoSqliteStores } from './two-stores.fixture.ts';

signedInRows('memory', twoMemoryStores);
signedInRows('SQLite', twoSqliteStores);
