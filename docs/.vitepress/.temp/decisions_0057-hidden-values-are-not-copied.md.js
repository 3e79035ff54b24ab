import { t as _plugin_vue_export_helper_default } from "./plugin-vue_export-helper.DjkACiAr.js";
import { useSSRContext } from "vue";
import { ssrRenderAttrs } from "vue/server-renderer";
// docs/decisions/0057-hidden-values-are-not-copied.md
var __pageData = JSON.parse("{\"title\":\"0057 Hidden values are not copied\",\"description\":\"\",\"frontmatter\":{},\"headers\":[],\"relativePath\":\"decisions/0057-hidden-values-are-not-copied.md\",\"filePath\":\"decisions/0057-hidden-values-are-not-copied.md\"}");
var _sfc_main = { name: "decisions/0057-hidden-values-are-not-copied.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
	_push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0057-hidden-values-are-not-copied" tabindex="-1">0057 Hidden values are not copied <a class="header-anchor" href="#0057-hidden-values-are-not-copied" aria-label="Permalink to “0057 Hidden values are not copied”">​</a></h1><p><strong>Context.</strong> A server shows <code>[redacted]</code> in place of what <code>redact</code> and <code>redactKeys</code> hide. <em>Add again with changes</em> filled its form from what was shown and sent it back. So the new job had the mark where the old one had a password. It was accepted, ran, and failed somewhere else, or worse, did not fail.</p><p><strong>Choice.</strong> What was hidden is never sent back. A job&#39;s <code>hiddenInPayload</code> says where its payload has marks. The form leaves those parts out and says which they are, and whoever adds the job enters them again. <code>POST /jobs</code> refuses a payload that has the mark where this server would hide a value, and names each place. The same text elsewhere is just text: a document may well say &quot;[redacted]&quot;.</p><p><strong>Considered.</strong> The server could fill the marks from the original job. It is more convenient, but it breaks what <code>redact</code> promises, that a value never leaves the server. Whoever may add jobs would keep the hidden password, change the address beside it, and have the handler send the password to that address. Only somebody who knows a secret may use it in a new place.</p><p><strong>Consequence.</strong> A job with a secret in its payload can be added again only by somebody who has the secret. Better is a payload that names the secret and a handler that looks it up: nothing is hidden then, and nothing has to be entered again. To run the same job once more, use retry, which needs none of this: the payload stays where it is.</p></div>`);
}
var _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
	const ssrContext = useSSRContext();
	(ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0057-hidden-values-are-not-copied.md");
	return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
var _0057_hidden_values_are_not_copied_default = /*#__PURE__*/ _plugin_vue_export_helper_default(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export { __pageData, _0057_hidden_values_are_not_copied_default as default };
