import { t as _plugin_vue_export_helper_default } from "./plugin-vue_export-helper.DjkACiAr.js";
import { useSSRContext } from "vue";
import { ssrRenderAttrs } from "vue/server-renderer";
// docs/decisions/0002-attempts-in-the-jobs-row.md
var __pageData = JSON.parse("{\"title\":\"0002 Attempts are kept in the job's row\",\"description\":\"\",\"frontmatter\":{},\"headers\":[],\"relativePath\":\"decisions/0002-attempts-in-the-jobs-row.md\",\"filePath\":\"decisions/0002-attempts-in-the-jobs-row.md\"}");
var _sfc_main = { name: "decisions/0002-attempts-in-the-jobs-row.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
	_push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0002-attempts-are-kept-in-the-jobs-row" tabindex="-1">0002 Attempts are kept in the job&#39;s row <a class="header-anchor" href="#0002-attempts-are-kept-in-the-jobs-row" aria-label="Permalink to “0002 Attempts are kept in the job&#39;s row”">​</a></h1><p><strong>Context.</strong> Every attempt leaves a record: stage, number, worker, times, outcome, error, log. And a settle whose reply was lost is sent again, so it must be possible to find the token of an ended attempt. A row per attempt would be one more insert, one more index entry and one more row to delete for every job, also for the many that succeed at once.</p><p><strong>Choice.</strong> The current attempt is stored in columns of the job (<code>claim_token</code>, <code>worker_id</code>, <code>claimed_at</code>, <code>attempt</code>). When it ends and the job lives on, its record, token included, is appended to <code>history</code>, an array of a composite type in the same row. When the job finishes, the last attempt stays in columns of the finished row (<code>claim_token</code>, <code>error</code>, <code>log</code>, <code>last_outcome</code>), and nothing is appended. The array holds 100 records; the oldest go first.</p><p><strong>Consequence.</strong> A job of one stage that succeeds writes no attempt record at all. <code>already_applied</code> is answered from the live or the finished row, without a third table. Records are shown without their tokens (<code>attempts_of</code>). The array was JSON at first: building and copying it from stage to stage was a third of what it cost to advance a job, and a quarter of its WAL. A composite type that a table uses cannot get another field, so what may grow is JSON in its <code>detail</code>. A job that is snoozed or retried hundreds of times forgets its first attempts; its row grows with each attempt up to that cap. Questions about the attempts of all jobs are answered from the counters, not from here.</p></div>`);
}
var _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
	const ssrContext = useSSRContext();
	(ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0002-attempts-in-the-jobs-row.md");
	return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
var _0002_attempts_in_the_jobs_row_default = /*#__PURE__*/ _plugin_vue_export_helper_default(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export { __pageData, _0002_attempts_in_the_jobs_row_default as default };
