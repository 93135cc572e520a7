import { deadLetters } from './dead-letters.fixture.ts';
import { twoMemoryStores, twoSqliteStores } from './two-stores.fixture.ts';

deadLetters('memory', twoMemoryStores);
deadLetters('SQLite', twoSqliteStores);
