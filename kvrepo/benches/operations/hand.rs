//! The best that somebody writes by hand with the client crate: one multiplexed connection, pipelines, scripts by their
//! hash, values moved and not copied.

use std::time::{Duration, SystemTime};

use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Cmd, IntoConnectionInfo, Pipeline, ProtocolVersion, Value};

use crate::operation::{GRACE, PAGE};
use crate::sample::Sample;

/// How many entities go into one pipeline.
const CHUNK: usize = 1000;

/// A script that the server knows.
#[derive(Debug, Clone)]
struct Script(String);

impl Script {
    async fn new(connection: &mut MultiplexedConnection, text: &str) -> Self {
        let mut load = redis::cmd("SCRIPT");
        let hash = load.arg("LOAD").arg(text).query_async(connection).await;
        Self(hash.expect("a script"))
    }

    fn on(&self, base: &str) -> Cmd {
        let mut command = redis::cmd("EVALSHA");
        command.arg(&self.0).arg(1).arg(base);
        command
    }
}

/// Everything by hand, in one database.
#[derive(Debug, Clone)]
pub(crate) struct Hand {
    connection: MultiplexedConnection,
    save: Script,
    update: Script,
    delete: Script,
    count: Script,
    page: Script,
}

impl Hand {
    /// A connection as a careful program has it, with the settings of kvrepo's.
    pub(crate) async fn new(url: &str) -> Self {
        let info = url.into_connection_info().expect("a URL");
        let tcp = info.tcp_settings().clone().set_nodelay(true);
        let settings = info.redis_settings().clone();
        let settings = settings.set_protocol(ProtocolVersion::RESP3);
        let info = info.set_tcp_settings(tcp).set_redis_settings(settings);
        let config = AsyncConnectionConfig::new()
            .set_response_timeout(Some(Duration::from_secs(30)))
            .set_pipeline_buffer_size(1024);
        let client = redis::Client::open(info).expect("a client");
        let connection = client.get_multiplexed_async_connection_with_config(&config);
        let mut connection = connection.await.expect("a connection");
        Self {
            save: Script::new(&mut connection, include_str!("hand/save.lua")).await,
            update: Script::new(&mut connection, include_str!("hand/update.lua")).await,
            delete: Script::new(&mut connection, include_str!("hand/delete.lua")).await,
            count: Script::new(&mut connection, include_str!("hand/count.lua")).await,
            page: Script::new(&mut connection, include_str!("hand/page.lua")).await,
            connection,
        }
    }

    async fn run(&self, command: &Cmd) -> Value {
        let mut connection = self.connection.clone();
        command.query_async(&mut connection).await.expect("a reply")
    }

    async fn run_all(&self, pipeline: &Pipeline) -> Vec<Value> {
        let mut connection = self.connection.clone();
        pipeline.query_async(&mut connection).await.expect("replies")
    }

    fn save_command<T: Sample>(&self, entity: &T, term: Option<Duration>, absent: bool) -> Cmd {
        let base = T::SCHEMA.keyspace;
        let mut command = self.save.on(base);
        command.arg(entity.key());
        match term {
            Some(term) => command.arg(term.as_millis() as u64),
            None => command.arg(""),
        };
        command.arg(if absent { "1" } else { "" });
        if T::INDEXED {
            let (city, trade) = index_keys::<T>(entity.city(), entity.trade());
            command.arg(2).arg(city).arg(trade);
        } else {
            command.arg(0);
        }
        entity.write(&mut command);
        command
    }

    /// Says whether it is new.
    pub(crate) async fn save<T: Sample>(&self, entity: &T, term: Option<Duration>, absent: bool) -> bool {
        let reply = self.run(&self.save_command(entity, term, absent)).await;
        created(&reply)
    }

    pub(crate) async fn save_all<T: Sample>(&self, entities: &[T], term: Option<Duration>) -> usize {
        let mut created = 0;
        for chunk in entities.chunks(CHUNK) {
            let mut pipeline = redis::pipe();
            for entity in chunk {
                pipeline.add_command(self.save_command(entity, term, false));
            }
            let replies = self.run_all(&pipeline).await;
            created += replies.iter().filter(|reply| self::created(reply)).count();
        }
        created
    }

    pub(crate) async fn update<T: Sample>(&self, id: &str, trade: &str) -> bool {
        let mut command = self.update.on(T::SCHEMA.keyspace);
        command.arg(id).arg("trade").arg(trade);
        self.run(&command).await == Value::Int(1)
    }

    pub(crate) async fn find<T: Sample>(&self, id: &str) -> Option<T> {
        let mut command = redis::cmd("HGETALL");
        command.arg(key::<T>(id));
        T::read(self.run(&command).await)
    }

    pub(crate) async fn find_all<T: Sample>(&self, ids: &[String]) -> Vec<T> {
        let mut found = Vec::with_capacity(ids.len());
        for chunk in ids.chunks(CHUNK) {
            let mut pipeline = redis::pipe();
            for id in chunk {
                pipeline.cmd("HGETALL").arg(key::<T>(id));
            }
            let hashes = self.run_all(&pipeline).await;
            found.extend(hashes.into_iter().filter_map(T::read));
        }
        found
    }

    pub(crate) async fn query<T: Sample>(&self, city: &str, trade: &str) -> Vec<T> {
        let (city, trade) = index_keys::<T>(city, trade);
        let mut command = redis::cmd("SINTER");
        command.arg(city).arg(trade);
        let mut ids = texts(self.run(&command).await);
        ids.sort_unstable();
        self.find_all(&ids).await
    }

    /// The first entities, and how many there are.
    pub(crate) async fn page<T: Sample>(&self, city: &str) -> (Vec<T>, i64) {
        let mut command = self.page.on(T::SCHEMA.keyspace);
        command.arg(index_keys::<T>(city, "").0).arg(PAGE);
        self.read_page(self.run(&command).await).await
    }

    /// Also of what has expired and nobody reaped.
    pub(crate) async fn page_unguarded<T: Sample>(&self, city: &str) -> (Vec<T>, i64) {
        let (index, _) = index_keys::<T>(city, "");
        let mut pipeline = redis::pipe();
        pipeline.cmd("SCARD").arg(&index);
        let sorted = pipeline.cmd("SORT_RO").arg(&index).arg("ALPHA");
        sorted.arg("LIMIT").arg(0).arg(PAGE);
        self.read_page(Value::Array(self.run_all(&pipeline).await)).await
    }

    async fn read_page<T: Sample>(&self, reply: Value) -> (Vec<T>, i64) {
        let Value::Array(parts) = reply else {
            panic!("{reply:?}")
        };
        let Ok([Value::Int(total), ids]) = <[Value; 2]>::try_from(parts) else {
            panic!("no page");
        };
        (self.find_all(&texts(ids)).await, total)
    }

    pub(crate) async fn count<T: Sample>(&self) -> i64 {
        integer(&self.run(&self.count.on(T::SCHEMA.keyspace)).await)
    }

    pub(crate) async fn count_unguarded<T: Sample>(&self) -> i64 {
        integer(&self.run(redis::cmd("SCARD").arg(T::SCHEMA.keyspace)).await)
    }

    pub(crate) async fn delete<T: Sample>(&self, id: &str) -> bool {
        let mut command = self.delete.on(T::SCHEMA.keyspace);
        self.run(command.arg(id)).await == Value::Int(1)
    }

    pub(crate) async fn delete_all<T: Sample>(&self) -> i64 {
        let (mut cursor, mut deleted) = ("0".to_owned(), 0);
        loop {
            let mut scan = redis::cmd("SSCAN");
            scan.arg(T::SCHEMA.keyspace).arg(&cursor).arg("COUNT").arg(CHUNK);
            let reply = self.run(&scan).await;
            let Value::Array(parts) = reply else {
                panic!("{reply:?}")
            };
            let Ok([Value::BulkString(next), ids]) = <[Value; 2]>::try_from(parts) else {
                panic!("no page");
            };
            let ids = texts(ids);
            if !ids.is_empty() {
                let mut command = self.delete.on(T::SCHEMA.keyspace);
                deleted += integer(&self.run(command.arg(&ids)).await);
            }
            cursor = String::from_utf8(next).expect("a cursor");
            if cursor == "0" {
                return deleted;
            }
        }
    }

    /// The same bytes, if it replaces nothing that was in other indexes.
    pub(crate) async fn save_unguarded<T: Sample>(&self, entity: &T, term: Option<Duration>) {
        let mut pipeline = redis::pipe();
        pipeline.atomic();
        add_save(&mut pipeline, entity, term);
        self.run_all(&pipeline).await;
    }

    pub(crate) async fn save_all_unguarded<T: Sample>(
        &self,
        entities: &[T],
        term: Option<Duration>,
    ) -> usize {
        for chunk in entities.chunks(CHUNK) {
            let mut pipeline = redis::pipe();
            pipeline.atomic();
            for entity in chunk {
                add_save(&mut pipeline, entity, term);
            }
            self.run_all(&pipeline).await;
        }
        entities.len()
    }

    pub(crate) async fn update_unguarded<T: Sample>(&self, id: &str, trade: &str) {
        let key = key::<T>(id);
        let mut pipeline = redis::pipe();
        pipeline.atomic();
        pipeline.cmd("HSET").arg(&key).arg("trade").arg(trade).ignore();
        let phantom = key + ":phantom";
        pipeline.cmd("HSET").arg(phantom).arg("trade").arg(trade).ignore();
        self.run_all(&pipeline).await;
    }

    pub(crate) async fn delete_unguarded<T: Sample>(&self, id: &str) -> bool {
        let base = T::SCHEMA.keyspace;
        let mut pipeline = redis::pipe();
        pipeline.atomic();
        add_delete::<T>(&mut pipeline, id);
        pipeline.cmd("SREM").arg(base).arg(id).ignore();
        pipeline
            .cmd("ZREM")
            .arg(format!("{base}#deadlines"))
            .arg(id)
            .ignore();
        self.run_all(&pipeline).await == [Value::Int(2)]
    }

    pub(crate) async fn delete_all_unguarded<T: Sample>(&self) -> i64 {
        let base = T::SCHEMA.keyspace;
        let ids = texts(self.run(redis::cmd("SMEMBERS").arg(base)).await);
        for chunk in ids.chunks(CHUNK) {
            let mut pipeline = redis::pipe();
            for id in chunk {
                add_delete::<T>(&mut pipeline, id);
            }
            self.run_all(&pipeline).await;
        }
        let mut rest = redis::cmd("DEL");
        self.run(rest.arg(base).arg(format!("{base}#deadlines"))).await;
        ids.len() as i64
    }
}

fn key<T: Sample>(id: &str) -> String {
    let base = T::SCHEMA.keyspace;
    let mut key = String::with_capacity(base.len() + id.len() + 9);
    key.push_str(base);
    key.push(':');
    key.push_str(id);
    key
}

fn index_keys<T: Sample>(city: &str, trade: &str) -> (String, String) {
    let base = T::SCHEMA.keyspace;
    (format!("{base}:city:{city}"), format!("{base}:trade:{trade}"))
}

/// By `MULTI`, with the program's clock for the deadline.
fn add_save<T: Sample>(pipeline: &mut Pipeline, entity: &T, term: Option<Duration>) {
    let (base, key) = (T::SCHEMA.keyspace, key::<T>(entity.key()));
    pipeline.cmd("DEL").arg(&key).ignore();
    let mut save = redis::cmd("HSET");
    save.arg(&key);
    entity.write(&mut save);
    pipeline.add_command(save).ignore();
    pipeline.cmd("SADD").arg(base).arg(entity.key()).ignore();
    if T::INDEXED {
        let (city, trade) = index_keys::<T>(entity.city(), entity.trade());
        pipeline.cmd("SADD").arg(&city).arg(entity.key()).ignore();
        pipeline.cmd("SADD").arg(&trade).arg(entity.key()).ignore();
        let names = format!("{key}:idx");
        pipeline.cmd("SADD").arg(names).arg(city).arg(trade).ignore();
    }
    if let Some(term) = term {
        let phantom = format!("{key}:phantom");
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let deadline = (now.unwrap_or_default() + term).as_millis() as u64;
        pipeline
            .cmd("COPY")
            .arg(&key)
            .arg(&phantom)
            .arg("REPLACE")
            .ignore();
        let until = deadline + GRACE.as_millis() as u64;
        pipeline.cmd("PEXPIREAT").arg(&phantom).arg(until).ignore();
        pipeline.cmd("PEXPIREAT").arg(&key).arg(deadline).ignore();
        let deadlines = format!("{base}#deadlines");
        pipeline
            .cmd("ZADD")
            .arg(deadlines)
            .arg(deadline)
            .arg(entity.key())
            .ignore();
    }
}

fn add_delete<T: Sample>(pipeline: &mut Pipeline, id: &str) {
    let key = key::<T>(id);
    let (phantom, names) = (format!("{key}:phantom"), format!("{key}:idx"));
    pipeline.cmd("DEL").arg(key).arg(phantom).arg(names);
}

fn created(reply: &Value) -> bool {
    matches!(reply, Value::Array(parts) if parts.first() == Some(&Value::Int(1)))
}

fn integer(reply: &Value) -> i64 {
    match reply {
        Value::Int(number) => *number,
        other => panic!("no number: {other:?}"),
    }
}

fn texts(reply: Value) -> Vec<String> {
    let (Value::Array(texts) | Value::Set(texts)) = reply else {
        panic!("no list: {reply:?}")
    };
    let text = |value| match value {
        Value::BulkString(bytes) => String::from_utf8(bytes).ok(),
        _ => None,
    };
    texts.into_iter().filter_map(text).collect()
}
