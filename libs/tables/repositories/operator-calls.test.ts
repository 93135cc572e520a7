import { operatorCalls } from './operator-calls.fixture.ts';
import { twoMemoryStores, twoSqliteStores } from './two-stores.fixture.ts';

operatorCalls('memory', twoMemoryStores);
operatorCalls('SQLite', twoSqliteStores);
