import { subscriptionRows } from './subscriptions.fixture.ts';
import { twoMemoryStores, twoSqliteStores } from './two-stores.fixture.ts';

subscriptionRows('memory', twoMemoryStores);
subscriptionRows('SQLite', twoSqliteStores);
