/** What `import … from "planledger"` gives: the named classes of the runtime, the client, the errors. */

export type { ChangeEntry, ChangeKind } from "./changeset/change-entry.ts";
export type { ChangeSet } from "./changeset/change-set.ts";
export type { ChangeSetStore, DecisionChanges } from "./changeset/change-set-store.ts";
export { InMemoryChangeSetStore } from "./changeset/in-memory-change-set-store.ts";
export type { ClientPorts, RetryWait } from "./client/client-options.ts";
export type { ContentClient } from "./client/content-client.ts";
export type { CursoredEvents, EventsQuery } from "./client/plan-events.ts";
export {
  type PlanledgerClient,
  type PlanledgerClientOptions,
  planledgerClient,
} from "./client/planledger-client.ts";
export type { ChangesetPage, ListedPlan, PlanQuery } from "./client/plans-client.ts";
export type { ProjectsClient } from "./client/projects-client.ts";
export type { SchedulesClient } from "./client/schedules-client.ts";
export type { SourcesClient } from "./client/sources-client.ts";
export type { SyncClient } from "./client/sync-client.ts";
export type { CreatedToken, TokensClient } from "./client/tokens-client.ts";
export { type SourceFile, type UploadedTree, type UploadProgress, uploadTree } from "./client/upload-tree.ts";
export type { SavedWebhookReply, WebhooksClient } from "./client/webhooks-client.ts";
export { type ErrorCode, errorCodes } from "./errors/error-code.ts";
export {
  AccessError,
  ConflictError,
  type ErrorDetails,
  InfrastructureError,
  NotFoundError,
  PlanError,
  PlanledgerError,
  ValidationError,
} from "./errors/planledger-error.ts";
export { ledgerExport } from "./ledger/ledger-export.ts";
export type { LedgerFaultCode, LedgerPosition } from "./ledger/ledger-fault.ts";
export type { LedgerBodyLine } from "./ledger/ledger-line.ts";
export { type LedgerVerification, verifyLedger } from "./ledger/verify-ledger.ts";
export { parsePlanFile } from "./plan/parse-plan-file.ts";
export type { PlanDocument } from "./plan/plan-document.ts";
export type { Clock, IdSource } from "./run/clock.ts";
export { inMemoryPlanLifecycle } from "./runtime/in-memory-plan-lifecycle.ts";
export {
  type ContextSummary,
  PlanExecutionContext,
  type PlanExecutionContextOptions,
} from "./runtime/plan-execution-context.ts";
export { type PlanExecuteResult, PlanExecutor, type PlanExecutorOptions } from "./runtime/plan-executor.ts";
export type { PlanLifecycle } from "./runtime/plan-lifecycle.ts";
export type { RuntimeEvent, RuntimeEventCallback } from "./runtime/runtime-event.ts";
export {
  type ExecuteRequest,
  RuntimeExecuteActor,
  type RuntimeExecuteActorOptions,
} from "./runtime/runtime-execute-actor.ts";
export { RuntimeExecuteResult, type RuntimeExecuteResultOptions } from "./runtime/runtime-execute-result.ts";
export type { StrategyDecision } from "./runtime/strategy-decision.ts";
export { type ConflictPolicy, conflictPolicies } from "./sync/conflict-policy.ts";
export { ExecutionResult, type ExecutionResultOptions } from "./sync/execution-result.ts";
export { httpSyncTransport } from "./sync/http-sync-transport.ts";
export type { LocalEntry, LocalFault, LocalItems, LocalWriteOutcome } from "./sync/local-items.ts";
export { PlanSyncClient, type PlanSyncClientOptions, type SyncOptions } from "./sync/plan-sync-client.ts";
export type { PlanAccepted, PlanStatus, PlanTransport } from "./sync/plan-transport.ts";
export type { SyncProgress } from "./sync/run-sync.ts";
export type { SyncBase, SyncBaseChange, SyncBaseStore } from "./sync/sync-base-store.ts";
export type { SyncContent } from "./sync/sync-content.ts";
export type { SyncDirection } from "./sync/sync-direction.ts";
export type { SyncItem } from "./sync/sync-item.ts";
export type { SyncOutcome } from "./sync/sync-outcome.ts";
export type { SyncResult } from "./sync/sync-result.ts";
export { SyncScope, type SyncScopeFlags } from "./sync/sync-scope.ts";
export { type SyncProblem, SyncSummary, type SyncSummaryOptions } from "./sync/sync-summary.ts";
export type { SyncKey, SyncRow, SyncTransport, SyncWrite } from "./sync/sync-transport.ts";
export { builtinTools } from "./tools/builtin/builtin-tools.ts";
export type { Tool, ToolContext, ToolEffect, ToolResult } from "./tools/tool.ts";
export { ToolError } from "./tools/tool-error.ts";
export type { ToolFailure, ToolOutcome } from "./tools/tool-outcome.ts";
export { ToolRegistry } from "./tools/tool-registry.ts";
export { ToolRunner, type ToolRunnerOptions } from "./tools/tool-runner.ts";
