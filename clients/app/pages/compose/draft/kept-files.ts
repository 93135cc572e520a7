const DATABASE = 'crier-composer';
const STORE = 'files';
/** Larger files would fill the browser's room: after a reload they are chosen again, unless they were sent already. */
const MAX_KEPT_BYTES = 512 * 1024 ** 2;

/**
 * The bytes of chosen files in this browser, by the draft they belong to, until the Post is made: a reload goes on
 * with an upload, and shows what the files look like. Where the browser forbids it, nothing is kept and nothing fails.
 */
export async function keepFile(draftId: string, key: string, file: File): Promise<void> {
  if (file.size > MAX_KEPT_BYTES) return;
  await inStore('readwrite', (store) => store.put(file, [draftId, key]));
}

/** Null: it was not kept. */
export async function keptFile(draftId: string, key: string): Promise<File | null> {
  const found = await inStore('readonly', (store) => store.get([draftId, key]));
  return found instanceof File ? found : null;
}

export async function forgetFile(draftId: string, key: string): Promise<void> {
  await inStore('readwrite', (store) => store.delete([draftId, key]));
}

/** Every file of the draft. */
export async function forgetFilesOf(draftId: string): Promise<void> {
  // An array is behind every text in the order of keys.
  await inStore('readwrite', (store) => store.delete(IDBKeyRange.bound([draftId], [draftId, []])));
}

async function inStore<T>(mode: IDBTransactionMode, work: (store: IDBObjectStore) => IDBRequest<T>): Promise<T | null> {
  try {
    const database = await opened();
    try {
      const transaction = database.transaction(STORE, mode);
      const outcome = await settled(work(transaction.objectStore(STORE)));
      transaction.commit();
      return outcome;
    } finally {
      database.close();
    }
  } catch {
    return null;
  }
}

function opened(): Promise<IDBDatabase> {
  const request = indexedDB.open(DATABASE, 1);
  request.addEventListener('upgradeneeded', () => request.result.createObjectStore(STORE));
  return settled(request);
}

function settled<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error ?? new Error('the store of the browser failed')));
  });
}
