/** The icons; their colours are those of the theme. */

import { LabIcon } from '@jupyterlab/ui-components';

import documents from '../style/icons/documents.svg';
import glossary from '../style/icons/glossary.svg';
import style from '../style/icons/style.svg';
import translate from '../style/icons/translate.svg';
import usage from '../style/icons/usage.svg';

export const translateIcon = new LabIcon({ name: 'svc-nb:translate', svgstr: translate });
export const usageIcon = new LabIcon({ name: 'svc-nb:usage', svgstr: usage });
export const glossaryIcon = new LabIcon({ name: 'svc-nb:glossary', svgstr: glossary });
export const styleIcon = new LabIcon({ name: 'svc-nb:style', svgstr: style });
export const documentsIcon = new LabIcon({ name: 'svc-nb:documents', svgstr: documents });
