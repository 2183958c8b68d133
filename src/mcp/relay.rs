//! The tools of one YAML test as an MCP server, for an agent that drives it: each call goes on to the socket of the process
//! that holds the tools, and is answered there. Nothing is decided or kept here.

use std::path::Path;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, JsonObject, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::Mutex;

use crate::base::error::Trouble;
use crate::spec::agent::{Answer, Ask};

/// Bytes of one message of the agent.
const MESSAGE_MAX: usize = 8 << 20;

/// Relays until the agent, or the test, is over.
///
/// # Errors
/// When nobody listens at the socket.
pub async fn serve(socket: &Path) -> Result<(), Trouble> {
    let stream = UnixStream::connect(socket).await.map_err(|error| {
        Trouble::environment("The test is over: nobody holds its tools any more.").because(format!("{error}."))
    })?;
    let (read, write) = stream.into_split();
    let relay = Relay { peer: Mutex::new((BufReader::new(read), write)) };
    let transport = AsyncRwTransport::new_server(tokio::io::stdin(), tokio::io::stdout()).with_max_line_length(MESSAGE_MAX);
    match relay.serve(transport).await {
        Ok(running) => _ = running.waiting().await,
        Err(error) => tracing::warn!(%error, "no session with an agent began"),
    }
    Ok(())
}

struct Relay {
    /// One request at a time: the tools of a test are called one after the other.
    peer: Mutex<(BufReader<OwnedReadHalf>, OwnedWriteHalf)>,
}

impl Relay {
    async fn ask(&self, ask: &Ask) -> Result<Answer, ErrorData> {
        let gone = |_| ErrorData::internal_error("The test is over.", None);
        let mut line = serde_json::to_vec(ask).unwrap_or_default();
        line.push(b'\n');
        let mut peer = self.peer.lock().await;
        peer.1.write_all(&line).await.map_err(gone)?;
        let mut answer = String::new();
        peer.0.read_line(&mut answer).await.map_err(gone)?;
        serde_json::from_str(&answer).map_err(|_| ErrorData::internal_error("The test is over.", None))
    }
}

impl ServerHandler for Relay {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("pytead-tui-tools", env!("CARGO_PKG_VERSION")))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let Answer::Tools(tools) = self.ask(&Ask::List).await? else {
            return Err(ErrorData::internal_error("The tools cannot be listed.", None));
        };
        let described = tools.into_iter().map(|tool| {
            let schema = tool.input_schema.as_object().cloned().unwrap_or_else(JsonObject::new);
            Tool::new(tool.name, tool.description, schema)
        });
        Ok(ListToolsResult::with_all_items(described.collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let args = serde_json::Value::Object(request.arguments.unwrap_or_default());
        let result = match self.ask(&Ask::Call { tool: request.name.to_string(), args }).await? {
            Answer::Result(value) => CallToolResult::success(vec![ContentBlock::text(value.to_string())]),
            Answer::Error(why) => CallToolResult::error(vec![ContentBlock::text(why)]),
            Answer::Tools(_) => return Err(ErrorData::internal_error("The tool was not called.", None)),
        };
        Ok(result.into())
    }
}
