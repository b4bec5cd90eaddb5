"use strict";(self.rspackChunksvc_nb=self.rspackChunksvc_nb||[]).push([["style_index_js"],{"./node_modules/css-loader/dist/cjs.js!./style/index.css"(e,t,r){var o=r("./node_modules/css-loader/dist/runtime/noSourceMaps.js"),n=r.n(o),a=r("./node_modules/css-loader/dist/runtime/api.js"),s=(r.n(a))()(n());s.push([e.id,`.svc-lab-tab {
  overflow: auto;
  padding: 8px;
  background: var(--jp-layout-color1);
}

.svc-lab-tab-line {
  padding: 8px;
  color: var(--jp-ui-font-color1);
}

.svc-lab-sidebar {
  overflow-y: auto;
  min-width: 200px;
  background: var(--jp-layout-color1);
  color: var(--jp-ui-font-color1);
  font-size: var(--jp-ui-font-size1);
  line-height: 1.4;
}

.svc-lab-sidebar header {
  display: flex;
  align-items: center;
  justify-content: space-between;
  padding: 4px 4px 4px 12px;
  border-bottom: var(--jp-border-width) solid var(--jp-border-color2);
}

.svc-lab-sidebar h2 {
  margin: 0;
  font-size: var(--jp-ui-font-size1);
  font-weight: 600;
}

.svc-lab-sidebar h3 {
  display: flex;
  align-items: center;
  gap: 6px;
  margin: 0 0 4px;
  color: var(--jp-ui-font-color2);
  font-size: var(--jp-ui-font-size0);
  font-weight: 600;
  letter-spacing: 0.1em;
  text-transform: uppercase;
}

.svc-lab-sidebar section {
  padding: 12px;
}

.svc-lab-sidebar p {
  margin: 0;
  overflow-wrap: anywhere;
}

.svc-lab-sidebar ul {
  margin: 0 -12px;
  padding: 0;
  list-style: none;
}

.svc-lab-small {
  color: var(--jp-ui-font-color2);
  font-size: var(--jp-ui-font-size0);
}

.svc-lab-count {
  padding: 0 6px;
  border-radius: 8px;
  background: var(--jp-layout-color2);
  letter-spacing: 0;
}

.svc-lab-connection {
  font-weight: 600;
}

.svc-lab-dot {
  display: inline-block;
  width: 8px;
  height: 8px;
  margin-right: 6px;
  border-radius: 50%;
  background: var(--jp-success-color1);
}

.svc-lab-connect {
  margin-top: 8px;
}

.svc-lab-problem {
  margin-top: 8px;
  padding: 6px 8px;
  border-left: 3px solid var(--jp-error-color1);
  background: var(--jp-layout-color2);
}

.svc-lab-quota meter {
  appearance: none;
  display: block;
  width: 100%;
  height: 6px;
  margin: 6px 0 4px;
  border: 0;
  border-radius: 3px;
  background: var(--jp-layout-color3);
}

.svc-lab-quota meter::-webkit-meter-bar {
  height: 6px;
  border: 0;
  border-radius: 3px;
  background: var(--jp-layout-color3);
}

.svc-lab-quota meter::-webkit-meter-optimum-value {
  border-radius: 3px;
  background: var(--jp-brand-color1);
}

.svc-lab-quota meter::-moz-meter-bar {
  border-radius: 3px;
  background: var(--jp-brand-color1);
}

.svc-lab-quota meter.svc-lab-low::-webkit-meter-optimum-value {
  background: var(--jp-warn-color1);
}

.svc-lab-quota meter.svc-lab-low::-moz-meter-bar {
  background: var(--jp-warn-color1);
}

.svc-lab-row {
  display: flex;
  flex-wrap: wrap;
  align-items: center;
  column-gap: 8px;
  width: 100%;
  padding: 5px 12px;
  border: 0;
  background: none;
  color: inherit;
  font: inherit;
  text-align: left;
  cursor: pointer;
}

.svc-lab-row:hover {
  background: var(--jp-layout-color2);
}

.svc-lab-row:focus-visible {
  outline: 2px solid var(--jp-brand-color1);
  outline-offset: -2px;
}

.svc-lab-name {
  overflow-wrap: anywhere;
}

.svc-lab-row .svc-lab-small {
  width: 100%;
}

.svc-lab-icon {
  display: flex;
}

.svc-lab-status button {
  display: flex;
  align-items: center;
  gap: 4px;
  height: 100%;
  padding: 0 4px;
  border: 0;
  background: none;
  color: inherit;
  font: inherit;
  cursor: pointer;
}
`,""]),r.d(t,{},{A:s})},"./node_modules/css-loader/dist/runtime/api.js"(e){e.exports=function(e){var t=[];return t.toString=function(){return this.map(function(t){var r="",o=void 0!==t[5];return t[4]&&(r+="@supports (".concat(t[4],") {")),t[2]&&(r+="@media ".concat(t[2]," {")),o&&(r+="@layer".concat(t[5].length>0?" ".concat(t[5]):""," {")),r+=e(t),o&&(r+="}"),t[2]&&(r+="}"),t[4]&&(r+="}"),r}).join("")},t.i=function(e,r,o,n,a){"string"==typeof e&&(e=[[null,e,void 0]]);var s={};if(o)for(var i=0;i<this.length;i++){var l=this[i][0];null!=l&&(s[l]=!0)}for(var c=0;c<e.length;c++){var d=[].concat(e[c]);o&&s[d[0]]||(void 0!==a&&(void 0===d[5]||(d[1]="@layer".concat(d[5].length>0?" ".concat(d[5]):""," {").concat(d[1],"}")),d[5]=a),r&&(d[2]&&(d[1]="@media ".concat(d[2]," {").concat(d[1],"}")),d[2]=r),n&&(d[4]?(d[1]="@supports (".concat(d[4],") {").concat(d[1],"}"),d[4]=n):d[4]="".concat(n)),t.push(d))}},t}},"./node_modules/css-loader/dist/runtime/noSourceMaps.js"(e){e.exports=function(e){return e[1]}},"./node_modules/style-loader/dist/runtime/injectStylesIntoStyleTag.js"(e){var t=[];function r(e){for(var r=-1,o=0;o<t.length;o++)if(t[o].identifier===e){r=o;break}return r}function o(e,o){for(var n={},a=[],s=0;s<e.length;s++){var i=e[s],l=o.base?i[0]+o.base:i[0],c=n[l]||0,d="".concat(l," ").concat(c);n[l]=c+1;var u=r(d),p={css:i[1],media:i[2],sourceMap:i[3],supports:i[4],layer:i[5]};if(-1!==u)t[u].references++,t[u].updater(p);else{var m=function(e,t){var r=t.domAPI(t);return r.update(e),function(t){t?(t.css!==e.css||t.media!==e.media||t.sourceMap!==e.sourceMap||t.supports!==e.supports||t.layer!==e.layer)&&r.update(e=t):r.remove()}}(p,o);o.byIndex=s,t.splice(s,0,{identifier:d,updater:m,references:1})}a.push(d)}return a}e.exports=function(e,n){var a=o(e=e||[],n=n||{});return function(e){e=e||[];for(var s=0;s<a.length;s++){var i=r(a[s]);t[i].references--}for(var l=o(e,n),c=0;c<a.length;c++){var d=r(a[c]);0===t[d].references&&(t[d].updater(),t.splice(d,1))}a=l}}},"./node_modules/style-loader/dist/runtime/insertBySelector.js"(e){var t={};e.exports=function(e,r){var o=function(e){if(void 0===t[e]){var r=document.querySelector(e);if(window.HTMLIFrameElement&&r instanceof window.HTMLIFrameElement)try{r=r.contentDocument.head}catch(e){r=null}t[e]=r}return t[e]}(e);if(!o)throw Error("Couldn't find a style target. This probably means that the value for the 'insert' parameter is invalid.");o.appendChild(r)}},"./node_modules/style-loader/dist/runtime/insertStyleElement.js"(e){e.exports=function(e){var t=document.createElement("style");return e.setAttributes(t,e.attributes),e.insert(t,e.options),t}},"./node_modules/style-loader/dist/runtime/setAttributesWithoutAttributes.js"(e,t,r){e.exports=function(e){var t=r.nc;t&&e.setAttribute("nonce",t)}},"./node_modules/style-loader/dist/runtime/styleDomAPI.js"(e){e.exports=function(e){if("u"<typeof document)return{update:function(){},remove:function(){}};var t=e.insertStyleElement(e);return{update:function(r){var o,n,a;o="",r.supports&&(o+="@supports (".concat(r.supports,") {")),r.media&&(o+="@media ".concat(r.media," {")),(n=void 0!==r.layer)&&(o+="@layer".concat(r.layer.length>0?" ".concat(r.layer):""," {")),o+=r.css,n&&(o+="}"),r.media&&(o+="}"),r.supports&&(o+="}"),(a=r.sourceMap)&&"u">typeof btoa&&(o+="\n/*# sourceMappingURL=data:application/json;base64,".concat(btoa(unescape(encodeURIComponent(JSON.stringify(a))))," */")),e.styleTagTransform(o,t,e.options)},remove:function(){var e;null===(e=t).parentNode||e.parentNode.removeChild(e)}}}},"./node_modules/style-loader/dist/runtime/styleTagTransform.js"(e){e.exports=function(e,t){if(t.styleSheet)t.styleSheet.cssText=e;else{for(;t.firstChild;)t.removeChild(t.firstChild);t.appendChild(document.createTextNode(e))}}},"./style/index.js"(e,t,r){var o=r("./node_modules/style-loader/dist/runtime/injectStylesIntoStyleTag.js"),n=r.n(o),a=r("./node_modules/style-loader/dist/runtime/styleDomAPI.js"),s=r.n(a),i=r("./node_modules/style-loader/dist/runtime/insertBySelector.js"),l=r.n(i),c=r("./node_modules/style-loader/dist/runtime/setAttributesWithoutAttributes.js"),d=r.n(c),u=r("./node_modules/style-loader/dist/runtime/insertStyleElement.js"),p=r.n(u),m=r("./node_modules/style-loader/dist/runtime/styleTagTransform.js"),v=r.n(m),b=r("./node_modules/css-loader/dist/cjs.js!./style/index.css"),f={};f.styleTagTransform=v(),f.setAttributes=d(),f.insert=l().bind(null,"head"),f.domAPI=s(),f.insertStyleElement=p(),n()(b.A,f),b.A&&b.A.locals&&b.A.locals}}]);