import { credentialClaims } from './credential-claims.fixture.ts';
import { twoMemoryStores, twoSqliteStores } from './two-stores.fixture.ts';

credentialClaims('memory', twoMemoryStores);
credentialClaims('SQLite', twoSqliteStores);
