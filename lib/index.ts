/** What `import … from "planledger"` gives: the named classes of the runtime, the client, the errors, and every type that their signatures name. */

export type { DerivedPageReply, DerivedReply, TracedEntryReply } from "./api/apply-replies.ts";
export type { AcceptedReply, DecisionReply, EventReply, PlanStatusReply } from "./api/plan-replies.ts";
export type {
  ProjectPutRequest,
  ProjectReply,
  ProjectRevisionsReply,
  ResourceSummaryReply,
} from "./api/resource-requests.ts";
export type { ScheduleReply } from "./api/schedule-requests.ts";
export type { SigningKey } from "./api/service-replies.ts";
export type { SourceReply, SourceRunReply } from "./api/source-requests.ts";
export type { SyncListReply, SyncReply, SyncRequest } from "./api/sync-requests.ts";
export type { TokenReply, TokenRequest } from "./api/token-requests.ts";
export type { DeliveryReply, WebhookReply } from "./api/webhook-requests.ts";
export type { DirectoryFiles, DiskNode, RenameObstacle } from "./apply/directory-files.ts";
export type { ChangeEntry, ChangeKind } from "./changeset/change-entry.ts";
export type { ChangeSet } from "./changeset/change-set.ts";
export type { ChangeSetStore, DecisionChanges } from "./changeset/change-set-store.ts";
export { InMemoryChangeSetStore } from "./changeset/in-memory-change-set-store.ts";
export type { ChangesetOrder, ChangesetsClient } from "./client/changesets-client.ts";
export type { ClientAddress, ClientPorts, RetryWait } from "./client/client-options.ts";
export type { ContentClient } from "./client/content-client.ts";
export type { CursoredEvents, EventsQuery } from "./client/plan-events.ts";
export {
  type PlanledgerClient,
  type PlanledgerClientOptions,
  planledgerClient,
} from "./client/planledger-client.ts";
export type { ChangesetPage, ListedPlan, PlanOrder, PlanQuery, PlansClient } from "./client/plans-client.ts";
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
export type { AutomationProfile, ToolCall } from "./plan/compiled-plan.ts";
export { parsePlanFile } from "./plan/parse-plan-file.ts";
export type { PlanDocument } from "./plan/plan-document.ts";
export type { ResourceKind } from "./resource/resource-store.ts";
export type { Clock, IdSource } from "./run/clock.ts";
export type { CallRecord, DecisionOutcome } from "./run/decision-record.ts";
export type { RunEventType } from "./run/run-event.ts";
export { inMemoryPlanLifecycle, type PlanToExecute } from "./runtime/in-memory-plan-lifecycle.ts";
export {
  type ContextSummary,
  PlanExecutionContext,
  type PlanExecutionContextOptions,
  type ProjectResource,
  type RecordChangeOptions,
} from "./runtime/plan-execution-context.ts";
export {
  type PlanExecuteResult,
  PlanExecutor,
  type PlanExecutorOptions,
  type ToolCallingRuntime,
} from "./runtime/plan-executor.ts";
export type { BegunExecution, ExecutionEnding, PlanLifecycle, PlanState } from "./runtime/plan-lifecycle.ts";
export type { RuntimeEvent, RuntimeEventCallback } from "./runtime/runtime-event.ts";
export {
  type ExecuteRequest,
  RuntimeExecuteActor,
  type RuntimeExecuteActorOptions,
} from "./runtime/runtime-execute-actor.ts";
export {
  type DecisionResult,
  RuntimeExecuteResult,
  type RuntimeExecuteResultOptions,
} from "./runtime/runtime-execute-result.ts";
export type { RuntimeLogger } from "./runtime/runtime-logger.ts";
export type { StrategyDecision } from "./runtime/strategy-decision.ts";
export { type ConflictPolicy, conflictPolicies } from "./sync/conflict-policy.ts";
export type { SyncRules } from "./sync/decide-sync.ts";
export { ExecutionResult, type ExecutionResultOptions } from "./sync/execution-result.ts";
export {
  type FileLocalItems,
  type FileLocalItemsOptions,
  fileLocalItems,
} from "./sync/files/file-local-items.ts";
export { type FileSyncBaseStore, fileSyncBaseStore } from "./sync/files/file-sync-base-store.ts";
export type { DefinitionChange, ProjectTrees } from "./sync/files/project-trees.ts";
export { httpSyncTransport } from "./sync/http-sync-transport.ts";
export type { LocalEntry, LocalFault, LocalItems, LocalWriteOutcome } from "./sync/local-items.ts";
export { PlanSyncClient, type PlanSyncClientOptions, type SyncOptions } from "./sync/plan-sync-client.ts";
export type { PlanAccepted, PlanStatus, PlanTransport } from "./sync/plan-transport.ts";
export type { SyncOrder, SyncProgress } from "./sync/run-sync.ts";
export type { SyncBase, SyncBaseChange, SyncBaseStore, SyncIntent } from "./sync/sync-base-store.ts";
export type { SyncContent } from "./sync/sync-content.ts";
export type { SyncDirection } from "./sync/sync-direction.ts";
export type { SyncItem } from "./sync/sync-item.ts";
export type { SyncOutcome, SyncVersions } from "./sync/sync-outcome.ts";
export type { SyncResult } from "./sync/sync-result.ts";
export { SyncScope, type SyncScopeFlags } from "./sync/sync-scope.ts";
export type { BaseState, VersionedContent } from "./sync/sync-state.ts";
export {
  type SyncCounts,
  type SyncProblem,
  SyncSummary,
  type SyncSummaryOptions,
} from "./sync/sync-summary.ts";
export type {
  SyncKey,
  SyncReadResult,
  SyncRow,
  SyncTransport,
  SyncWrite,
  SyncWriteResult,
} from "./sync/sync-transport.ts";
export type { ResendPorts } from "./sync/until-processed.ts";
export { builtinTools } from "./tools/builtin/builtin-tools.ts";
export type { InputValidator } from "./tools/input-validator.ts";
export type { Tool, ToolContext, ToolEffect, ToolResult } from "./tools/tool.ts";
export { ToolError } from "./tools/tool-error.ts";
export type { CheckedInput } from "./tools/tool-input.ts";
export type { KeptOutput, ToolFailure, ToolOutcome } from "./tools/tool-outcome.ts";
export { type RegisteredTool, ToolRegistry } from "./tools/tool-registry.ts";
export {
  type PreparedCall,
  type ToolRequest,
  ToolRunner,
  type ToolRunnerOptions,
} from "./tools/tool-runner.ts";
export type { Directory, DirectoryEntry, DirectoryRef } from "./tree/directory.ts";
export type { FileMode, FileState } from "./tree/file-state.ts";
export type { TreeDifference } from "./tree/tree-difference.ts";
export type { ToolWorkspace } from "./workspace/tool-workspace.ts";
export type { Workspace, WorkspaceName, WorkspaceNode, WorkspaceWrite } from "./workspace/workspace.ts";
export type { WorkspaceSnapshot } from "./workspace/workspace-snapshot.ts";
export type { FileNode } from "./workspace/workspace-view.ts";
