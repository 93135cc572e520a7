const nothing = async (): Promise<void> => {};

/** What kafkajs asks of its own class for a cluster, of one that is connected and whose metadata never changes. */
export const CONNECTED_CLUSTER = {
  isConnected: () => true,
  connect: nothing,
  disconnect: nothing,
  removeBroker: () => {},
  addMultipleTargetTopics: nothing,
  refreshMetadata: nothing,
  refreshMetadataIfNecessary: nothing,
};

/** A logger of kafkajs that says nothing. */
export const SILENT = {
  namespace: () => SILENT,
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
};
