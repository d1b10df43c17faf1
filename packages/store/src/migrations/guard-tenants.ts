/**
 * Owns the walls that the database itself keeps: rows of one tenant only (PostgreSQL), and logs to which is only added (both). Rows of a log go only while an
 * erasure of their session is open.
 */
import type { StoreConnection } from '../database/connection.ts'
import type { MigrationTarget } from './migration.ts'

export async function guardTenants(connection: StoreConnection, target: MigrationTarget, tables: readonly string[]): Promise<void> {
  switch (target.kind) {
    case 'sqlite':
      return await guardSqlite(connection)
    case 'postgres':
      await guardPostgres(connection)
      await makeWalls(connection, tables)
      return await makeRole(connection, target.schema)
    default:
      target.kind satisfies never
  }
}

const OPEN = (row: string) =>
  `EXISTS (SELECT 1 FROM erasures WHERE tenant_id = ${row}.tenant_id AND subject = 'session' AND subject_id = ${row}.session_id AND open = 1)`

async function guardSqlite(connection: StoreConnection): Promise<void> {
  await connection.script(`
    CREATE TRIGGER events_only_added BEFORE UPDATE ON events
      BEGIN SELECT RAISE(ABORT, 'events are only added'); END;
    CREATE TRIGGER events_stay BEFORE DELETE ON events WHEN NOT ${OPEN('OLD')}
      BEGIN SELECT RAISE(ABORT, 'events go only when their session is erased'); END;
    CREATE TRIGGER audit_only_added BEFORE UPDATE ON audit
      WHEN NOT (NEW.text = '' AND NEW.tenant_id = OLD.tenant_id AND NEW.session_id = OLD.session_id AND NEW.seq = OLD.seq
        AND NEW.previous = OLD.previous AND NEW.hash = OLD.hash AND ${OPEN('OLD')})
      BEGIN SELECT RAISE(ABORT, 'audit records are only added'); END;
    CREATE TRIGGER audit_stays BEFORE DELETE ON audit
      BEGIN SELECT RAISE(ABORT, 'audit records stay'); END;`)
}

async function guardPostgres(connection: StoreConnection): Promise<void> {
  await connection.script(`
    CREATE FUNCTION events_are_only_added() RETURNS trigger LANGUAGE plpgsql AS $guard$
    BEGIN
      IF TG_OP = 'DELETE' AND ${OPEN('OLD')} THEN RETURN OLD; END IF;
      IF TG_OP = 'DELETE' THEN RAISE EXCEPTION 'events go only when their session is erased'; END IF;
      RAISE EXCEPTION 'events are only added';
    END $guard$;
    CREATE TRIGGER events_only_added BEFORE UPDATE OR DELETE ON events FOR EACH ROW EXECUTE FUNCTION events_are_only_added();
    CREATE FUNCTION audit_is_only_added() RETURNS trigger LANGUAGE plpgsql AS $guard$
    BEGIN
      IF TG_OP = 'UPDATE' AND NEW.text = '' AND NEW.tenant_id = OLD.tenant_id AND NEW.session_id = OLD.session_id AND NEW.seq = OLD.seq
        AND NEW.previous = OLD.previous AND NEW.hash = OLD.hash AND ${OPEN('OLD')} THEN RETURN NEW; END IF;
      IF TG_OP = 'DELETE' THEN RAISE EXCEPTION 'audit records stay'; END IF;
      RAISE EXCEPTION 'audit records are only added';
    END $guard$;
    CREATE TRIGGER audit_only_added BEFORE UPDATE OR DELETE ON audit FOR EACH ROW EXECUTE FUNCTION audit_is_only_added();`)
}

/** `FORCE`: also for the owner of the tables. A setting that was never made is NULL and lets nothing through. */
async function makeWalls(connection: StoreConnection, tables: readonly string[]): Promise<void> {
  // As sub-selects the settings are read once for a statement, not for each row.
  const setting = (name: string): string => `(SELECT current_setting('adjutant.${name}', true))`
  const tenant = `tenant_id = ${setting('tenant')} AND ${setting('scope')} = 'tenant'`
  const system = `${setting('scope')} = 'system'`
  for (const table of tables) {
    await connection.script(`
      ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY;
      ALTER TABLE ${table} FORCE ROW LEVEL SECURITY;
      CREATE POLICY one_tenant ON ${table} USING (${tenant}) WITH CHECK (${tenant});
      CREATE POLICY all_tenants ON ${table} USING (${system}) WITH CHECK (${system});`)
  }
}

/**
 * A role that owns nothing: walls hold for it also where we are connected as a superuser, for whom there are none. Where it may not be made, the owner's
 * walls remain. Roles are the whole server's: a store of this name in another database may be making it at the same moment.
 */
async function makeRole(connection: StoreConnection, schema: string): Promise<void> {
  const role = `${schema}_app`
  await connection.script(`
    DO $role$
    BEGIN
      IF NOT EXISTS (SELECT 1 FROM pg_catalog.pg_roles WHERE rolname = '${role}') THEN
        BEGIN
          CREATE ROLE "${role}" NOLOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE;
        EXCEPTION
          WHEN insufficient_privilege THEN RETURN;
          WHEN duplicate_object OR unique_violation THEN NULL;
        END;
      END IF;
      GRANT USAGE ON SCHEMA "${schema}" TO "${role}";
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA "${schema}" TO "${role}";
      REVOKE INSERT, UPDATE, DELETE ON store_versions, store_migrations, store_migration_lock FROM "${role}";
      IF NOT pg_catalog.pg_has_role(current_user, '${role}', 'MEMBER') THEN
        BEGIN
          EXECUTE format('GRANT %I TO %I', '${role}', current_user);
        EXCEPTION
          WHEN insufficient_privilege OR unique_violation THEN NULL;
        END;
      END IF;
    END $role$;`)
}
