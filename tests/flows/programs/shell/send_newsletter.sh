#!/bin/sh
# A newsletter: `send_newsletter.sh FROM READER` makes a template and imports readers, and sends them a campaign. It
# waits for a line of the standard input where the service needs time: for the import, and for the campaign.
. "$(dirname "$0")/api.sh"

sender=$1 reader=$2
news="{\"email\":\"$sender\",\"name\":\"News\"}"

must POST /smtp/templates "{\"sender\":$news,\"templateName\":\"June\",\"subject\":\"Hello {{ contact.FIRSTNAME }}\",
    \"htmlContent\":\"<p>News for {{ contact.FIRSTNAME }}</p>\",\"isActive\":true}"
template=$(number id)
must GET "/smtp/templates/$template"
case $body in *'"isActive":true'*) echo 'template June is active' ;; esac

must POST /contacts/attributes/normal/FIRSTNAME '{"type":"text"}'
must POST /contacts/import "{\"fileBody\":\"EMAIL;FIRSTNAME\\n$reader;Bob\\nnobody;Nobody\\n\",
    \"newList\":{\"listName\":\"Readers\",\"folderId\":1}}"
process=$(number processId)
read -r _
must GET "/processes/$process"
echo "import $(text status), $(number invalid_emails) invalid"
must GET '/processes?limit=10'
echo "$(number count) process"
must GET /contacts/lists
readers=$(number id)

must POST "/smtp/templates/$template/sendTest" "{\"emailTo\":[\"$reader\"]}"
recipients="\"recipients\":{\"listIds\":[$readers]}"
must POST /emailCampaigns "{\"name\":\"June\",\"sender\":$news,\"subject\":\"June\",\"templateId\":$template,$recipients}"
campaign=$(number id)
must PUT "/emailCampaigns/$campaign" "{\"name\":\"July\",$recipients}"
must POST "/emailCampaigns/$campaign/sendTest" "{\"emailTo\":[\"$reader\"]}"
must GET '/emailCampaigns?status=draft'
case $body in *'"name":"July"'*) echo "campaign July is $(text status)" ;; esac
must POST "/emailCampaigns/$campaign/sendNow"
read -r _
must GET "/emailCampaigns/$campaign?statistics=globalStats"
echo "campaign July is $(text status), $(number sent) sent"

must PUT "/emailCampaigns/$campaign/status" '{"status":"archive"}'
must DELETE "/emailCampaigns/$campaign"
api GET "/emailCampaigns/$campaign"
echo "campaign: $(text code)"
must PUT "/smtp/templates/$template" '{"isActive":false}'
must GET '/smtp/templates?templateStatus=false'
echo "$(number count) inactive template"
must DELETE "/smtp/templates/$template"
