import { ValidationError } from "../errors/planledger-error.ts";

export interface TableKey {
  readonly pk: string;
  readonly sk: string;
}

/** Room for a resource id: two segments of 64 characters, each of up to four bytes. */
const maxPartBytes = 600;

/**
 * A caller's string as part of a key. `#` separates the parts, so a string that holds one could forge another's key: it is
 * refused here, whatever was checked before, as are the empty string, control characters, what no UTF-8 can carry, and more
 * bytes than any id has: the table takes keys of 1,024 bytes, and answers longer ones as it does a defect of ours.
 */
export function keyPart(value: string, field: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  if (value === "" || /[#\u0000-\u001f\u007f]/.test(value) || !value.isWellFormed()) {
    throw new ValidationError({
      field,
      message: `${field} ${JSON.stringify(value.slice(0, 100))} must be neither empty nor hold '#' or control characters.`,
    });
  }
  if (Buffer.byteLength(value) > maxPartBytes) {
    throw new ValidationError({
      field,
      message: `${field} ${JSON.stringify(value.slice(0, 100))}… is too long: it may have ${maxPartBytes} bytes.`,
    });
  }
  return value;
}

/** A number as a sort key: ten digits, so that the order of strings is the order of numbers. */
export function tenDigits(value: number, field: string): string {
  if (!Number.isInteger(value) || value < 0 || value > 9_999_999_999) {
    throw new ValidationError({
      field,
      message: `${field} must be a whole number from 0 to 9999999999, not ${value}.`,
    });
  }
  return String(value).padStart(10, "0");
}

const ofTenant = (tenant: string) => `T#${keyPart(tenant, "tenant")}`;
const ofPlan = (key: { readonly tenant: string; readonly planId: string }) =>
  `${ofTenant(key.tenant)}#P#${keyPart(key.planId, "planId")}`;

interface PlanKeyFields {
  readonly tenant: string;
  readonly planId: string;
}
interface RunKeyFields extends PlanKeyFields {
  readonly run: number;
}

export const planKey = (key: PlanKeyFields): TableKey => ({ pk: ofPlan(key), sk: "PLAN" });

/** Plans of a tenant by the id that the service gave them, which begins with the time. */
export const serverPlanPartition = (tenant: string): string => `${ofTenant(tenant)}#PLANS`;
export const serverPlanKey = (key: { readonly tenant: string; readonly serverPlanId: string }): TableKey => ({
  pk: serverPlanPartition(key.tenant),
  sk: keyPart(key.serverPlanId, "serverPlanId"),
});

export const frontierPrefix = "FRONTIER#";
export const frontierKey = (key: RunKeyFields): TableKey => ({
  pk: ofPlan(key),
  sk: `${frontierPrefix}${tenDigits(key.run, "run")}`,
});
export const frontiersPartition = (key: PlanKeyFields): string => ofPlan(key);

/** What `frontierKey` was made of; `undefined` for the key of anything else. */
export function runOfFrontierKey(key: TableKey): RunKeyFields | undefined {
  const [t, tenant, p, planId, ...rest] = key.pk.split("#");
  if (t !== "T" || p !== "P" || tenant === undefined || planId === undefined || rest.length > 0)
    return undefined;
  if (!/^FRONTIER#\d{10}$/.test(key.sk)) return undefined;
  return { tenant, planId, run: Number(key.sk.slice(frontierPrefix.length)) };
}

export const runKey = (key: RunKeyFields): TableKey => ({
  pk: ofPlan(key),
  sk: `RUN#${tenDigits(key.run, "run")}`,
});

export const stepsPartition = (key: RunKeyFields): string => `${ofPlan(key)}#S#${tenDigits(key.run, "run")}`;
export const stepSortKey = (from: number, epoch: number): string =>
  `${tenDigits(from, "from")}#${tenDigits(epoch, "epoch")}`;

export const externalResultKey = (
  key: RunKeyFields & { readonly ordinal: number; readonly callOrdinal: number },
): TableKey => ({
  pk: `${ofPlan(key)}#X#${tenDigits(key.run, "run")}`,
  sk: `${tenDigits(key.ordinal, "ordinal")}#${tenDigits(key.callOrdinal, "callOrdinal")}`,
});

export const changesetPartition = (key: { readonly tenant: string; readonly changesetId: string }): string =>
  `${ofTenant(key.tenant)}#C#${keyPart(key.changesetId, "changesetId")}`;

export const derivedChangesetKey = (key: PlanKeyFields & { readonly digest: string }): TableKey => ({
  pk: ofPlan(key),
  sk: `DERIVED#${keyPart(key.digest, "digest")}`,
});

/** Latest revisions of a tenant's resources, by kind and id. */
export const resourcesPartition = (tenant: string): string => `${ofTenant(tenant)}#RESOURCES`;
export const resourceSortKey = (key: { readonly kind: string; readonly id: string }): string =>
  `${keyPart(key.kind, "kind")}#${keyPart(key.id, "id")}`;
export const revisionKey = (key: {
  readonly tenant: string;
  readonly kind: string;
  readonly id: string;
  readonly revision: number;
}): TableKey => ({
  pk: `${ofTenant(key.tenant)}#R#${resourceSortKey(key)}`,
  sk: tenDigits(key.revision, "revision"),
});

/** Records that come due, such as plan schedules, by kind and name. */
export const timedRecordsPartition = (key: { readonly kind: string; readonly tenant: string }): string =>
  `${ofTenant(key.tenant)}#TIMED#${keyPart(key.kind, "kind")}`;
export const timedRecordKey = (key: {
  readonly kind: string;
  readonly tenant: string;
  readonly name: string;
}): TableKey => ({ pk: timedRecordsPartition(key), sk: keyPart(key.name, "name") });

/** What is known of one place that a sync source leads to: its last runs, the bases, and documents by their hashes. */
export const sourcePartition = (key: { readonly tenant: string; readonly sourceId: string }): string =>
  `${ofTenant(key.tenant)}#SOURCE#${keyPart(key.sourceId, "sourceId")}`;
export const sourceRunPrefix = "RUN#";
export const sourceRunSortKey = (place: number): string => `${sourceRunPrefix}${tenDigits(place, "place")}`;
export const sourceBasePrefix = "BASE#";
export const sourceBaseSortKey = (key: { readonly kind: string; readonly id: string }): string =>
  `${sourceBasePrefix}${resourceSortKey(key)}`;
export const sourceDocumentPrefix = "DOCUMENT#";
export const sourceDocumentSortKey = (sha256: string): string =>
  `${sourceDocumentPrefix}${keyPart(sha256, "sha256")}`;

/** What `timedRecordKey` was made of; `undefined` for the key of anything else. */
export function timedRecordOfKey(
  key: TableKey,
): { readonly kind: string; readonly tenant: string; readonly name: string } | undefined {
  const [t, tenant, timed, kind, ...rest] = key.pk.split("#");
  if (t !== "T" || timed !== "TIMED" || tenant === undefined || kind === undefined || rest.length > 0) {
    return undefined;
  }
  return { kind, tenant, name: key.sk };
}

/** All webhooks of a tenant. */
export const webhooksKey = (tenant: string): TableKey => ({ pk: `${ofTenant(tenant)}#WEBHOOKS`, sk: "LIST" });

interface DeliveryKeyFields {
  readonly tenant: string;
  readonly listener: string;
  readonly atEpochSeconds: number;
  readonly planId: string;
  readonly sequence: number;
}
/** Deliveries to one listener, in the order of time. */
export const deliveriesPartition = (key: Pick<DeliveryKeyFields, "tenant" | "listener">): string =>
  `${ofTenant(key.tenant)}#W#${keyPart(key.listener, "listener")}`;
export const deliveryKey = (key: DeliveryKeyFields): TableKey => ({
  pk: deliveriesPartition(key),
  sk: `${tenDigits(key.atEpochSeconds, "atEpochSeconds")}#${keyPart(key.planId, "planId")}#${tenDigits(key.sequence, "sequence")}`,
});

/** What `deliveryKey` was made of; `undefined` for the key of anything else. */
export function deliveryOfKey(key: TableKey): DeliveryKeyFields | undefined {
  const [t, tenant, w, listener, ...rest] = key.pk.split("#");
  if (t !== "T" || w !== "W" || tenant === undefined || listener === undefined || rest.length > 0) {
    return undefined;
  }
  const [at, planId, sequence, ...more] = key.sk.split("#");
  if (
    planId === undefined ||
    more.length > 0 ||
    !/^\d{10}$/.test(at ?? "") ||
    !/^\d{10}$/.test(sequence ?? "")
  ) {
    return undefined;
  }
  return { tenant, listener, atEpochSeconds: Number(at), planId, sequence: Number(sequence) };
}

/** The one item whose key knows no tenant, since a token is what tells the tenant. */
export const tokenKey = (id: string): TableKey => ({ pk: `TOKEN#${keyPart(id, "id")}`, sk: "TOKEN" });
export const tokensPartition = (tenant: string): string => `${ofTenant(tenant)}#TOKENS`;

/** A tenant's counts for its quotas. */
export const meterKey = (key: { readonly tenant: string; readonly meter: string }): TableKey => ({
  pk: `${ofTenant(key.tenant)}#QUOTA`,
  sk: keyPart(key.meter, "meter"),
});
