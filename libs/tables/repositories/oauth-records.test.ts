import { oauthRecords } from './oauth-records.fixture.ts';
import { twoMemoryStores, twoSqliteStores } from './two-stores.fixture.ts';

oauthRecords('memory', twoMemoryStores);
oauthRecords('SQLite', twoSqliteStores);
