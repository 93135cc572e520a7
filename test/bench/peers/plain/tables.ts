/** What the plain service keeps in PostgreSQL. Ids are UUIDs of version 7: newer rows stand behind older ones. */
export const TABLES = `
  CREATE TABLE workspaces (
    id uuid PRIMARY KEY,
    name text NOT NULL
  );
  CREATE TABLE api_keys (
    digest bytea PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspaces,
    name text NOT NULL
  );
  CREATE TABLE channels (
    id uuid PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspaces,
    network text NOT NULL,
    name text NOT NULL,
    account text NOT NULL,
    connected boolean NOT NULL DEFAULT true
  );
  CREATE TABLE endpoints (
    id uuid PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspaces,
    url text NOT NULL,
    secret text NOT NULL
  );
  CREATE INDEX endpoints_of_workspace ON endpoints (workspace_id);
  CREATE TABLE posts (
    id uuid PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspaces,
    text text NOT NULL,
    key_name text NOT NULL,
    created_at timestamptz NOT NULL,
    scheduled_at timestamptz
  );
  CREATE INDEX posts_newest_first ON posts (workspace_id, id DESC);
  CREATE TABLE recent_posts (
    workspace_id uuid NOT NULL,
    digest bytea NOT NULL,
    post_id uuid NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, digest)
  );
  CREATE INDEX recent_posts_by_age ON recent_posts (created_at);
  CREATE TABLE variants (
    id uuid PRIMARY KEY,
    post_id uuid NOT NULL REFERENCES posts,
    channel_id uuid NOT NULL REFERENCES channels,
    status text NOT NULL,
    due_at timestamptz NOT NULL,
    attempts int NOT NULL DEFAULT 0,
    permalink text,
    failure text
  ) WITH (fillfactor = 80);
  CREATE INDEX variants_of_post ON variants (post_id);
  CREATE INDEX variants_waiting ON variants (due_at) WHERE status = 'scheduled';
`;
